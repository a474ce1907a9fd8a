/* The engine's C interface: code objects, allocations and launches in, executed kernels and fault reports out. */
#ifndef FLYSIM_H
#define FLYSIM_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define FLYSIM_API __attribute__((visibility("default")))

typedef struct FlySimModule FlySimModule;
typedef struct FlySimKernel FlySimKernel;

/* Results: 0 is success. */
enum {
  FLYSIM_OK = 0,
  FLYSIM_ERROR = 1,
  FLYSIM_NOT_FOUND = 2,
  FLYSIM_FAULT = 3,
  FLYSIM_BAD_LAUNCH = 4,
  FLYSIM_BAD_IMAGE = 5,
  FLYSIM_TRAPPED = 6,
  FLYSIM_NO_BINARY = 7
};

/* ---- memory the kernels may touch ---- */
enum { FLYSIM_MEMORY_READ_ONLY = 1, FLYSIM_MEMORY_CODE = 2 };
FLYSIM_API void flysim_memory_add(const void *base, uint64_t size, uint32_t flags);
/* Leaves a tombstone: a later access to it is reported as a use after free, until the place is added again. */
FLYSIM_API void flysim_memory_remove(const void *base);
/* Leaves nothing: for memory that lives on without kernels touching it, or whose place others may use. */
FLYSIM_API void flysim_memory_forget(const void *base);
/* 1 when `p` is inside a live allocation; `base` and `size` may be NULL. */
FLYSIM_API int flysim_memory_find(const void *p, const void **base, uint64_t *size);
typedef struct {
  const void *base;
  uint64_t size;
} FlySimRange;

/* ---- modules ---- */
/* The loader finds the ELF image in the first `size` bytes, of which a part may do, decodes it, and builds the module
   with the functions at the end. */
typedef int (*FlySimLoadFn)(const void *image, uint64_t size, const char *arch, FlySimModule **out, char *message,
                            uint64_t message_size);
FLYSIM_API void flysim_set_loader(FlySimLoadFn loader);
/* `arch` is the device's (`gfx942:sramecc+:xnack-`), NULL: whatever the image is for. FLYSIM_BAD_IMAGE: not a code
   object, FLYSIM_NO_BINARY: one for another chip. */
FLYSIM_API int flysim_module_load(const void *image, uint64_t size, const char *arch, FlySimModule **out, char *message,
                                  uint64_t message_size);
FLYSIM_API void flysim_module_unload(FlySimModule *module);
FLYSIM_API int flysim_module_kernel(FlySimModule *module, const char *name, FlySimKernel **out);
FLYSIM_API int flysim_module_global(FlySimModule *module, const char *name, void **address, uint64_t *size);

typedef struct {
  uint32_t struct_size; /* set by the caller */
  uint32_t kernarg_size /* with implicit arguments */, n_args /* explicit ones */, static_lds, private_bytes, wave_size,
      max_workgroup, vgprs, sgprs;
  const uint32_t *arg_offsets, *arg_sizes; /* live as long as the module */
} FlySimKernelInfo;
FLYSIM_API int flysim_kernel_info(FlySimKernel *kernel, FlySimKernelInfo *info);

/* ---- launches ---- */
/* Each is a fault, except for the profile; accesses outside of allocations always are. */
enum FlySimChecks {
  FLYSIM_CHECK_UNINITIALISED =
      1, /* undefined registers, LDS and scratch that reach memory, an address, a branch or exec */
  FLYSIM_CHECK_RACES = 2,         /* of waves between barriers and of workgroups, in LDS and global memory */
  FLYSIM_CHECK_WAITS = 4,         /* registers used before a wait for their load */
  FLYSIM_CHECK_PROFILE = 8        /* counts for flysim_profile */
};
enum { FLYSIM_FORWARD = 0, FLYSIM_BACKWARD = 1, FLYSIM_RANDOM = 2 };
typedef struct {
  uint32_t struct_size; /* set by the caller */
  uint32_t grid[3];     /* in workgroups */
  uint32_t block[3];
  uint32_t dynamic_lds;
  const void *kernarg;
  uint64_t kernarg_size; /* explicit arguments; implicit ones are filled in by the engine */
  int32_t order;         /* of the waves of a workgroup, and of workgroups */
  uint64_t seed;
  uint32_t checks; /* of FlySimChecks */
  uint32_t threads; /* 0: as many as processors */
  uint32_t cooperative; /* all workgroups run at once, and may wait for each other: the caller knows that the device has
                           room */
  const FlySimRange *arrays; /* memory of the host that this launch may touch besides allocations: its arguments */
  uint64_t n_arrays;
  const volatile uint32_t *stop; /* the launch ends with a fault soon after this is not 0; NULL: it never is */
  uint32_t cluster[3]; /* in workgroups, which divide the grid; 0 or 1 along each dimension: there are none */
} FlySimLaunch;
/* Synchronous, on several threads, callable from several threads at once. FLYSIM_FAULT: the message says kernel, pc,
   instruction, lane and address. FLYSIM_TRAPPED: the kernel ended itself, as failed assertions do. */
FLYSIM_API int flysim_launch(FlySimKernel *kernel, const FlySimLaunch *launch, char *message, uint64_t message_size);
/* Wave instructions executed by this process so far. */
FLYSIM_API uint64_t flysim_instruction_count(void);
/* A wave that executes more of them is a fault: it waits for what does not come. */
FLYSIM_API void flysim_set_instruction_limit(uint64_t count);
/* The counts of all profiled launches as lines of text; returns how large the buffer must be. */
FLYSIM_API uint64_t flysim_profile(char *buffer, uint64_t size);
FLYSIM_API void flysim_profile_clear(void);

/* ---- building a module: for the loader ---- */
enum FlySimOperandKind {
  FLYSIM_NONE = 0,
  FLYSIM_SGPR =
      1, /* index: 0..127 as encoded; vcc 106, ttmp 108, m0 124, exec 126; from 128 on those of FlySimSpecial */
  FLYSIM_VGPR = 2, /* index: v0..v255 are 0..255, a0..a255 are 256..511, v256 and more are from 512 on */
  FLYSIM_INLINE_INT = 3, /* value: sign-extended */
  FLYSIM_INLINE_FLOAT = 4, /* value: bits of the float */
  FLYSIM_LITERAL = 5, /* value: 32 bits as encoded */
  FLYSIM_LABEL = 6, /* value: offset of the target from the image's base */
  FLYSIM_OFF = 7, /* "off", "null" */
  FLYSIM_LITERAL64 = 8 /* value, index and reserved2: 64 bits, lowest first */
};
enum FlySimSpecial {
  FLYSIM_SHARED_BASE = 128,
  FLYSIM_SHARED_LIMIT = 130,
  FLYSIM_PRIVATE_BASE = 132,
  FLYSIM_PRIVATE_LIMIT = 134,
  FLYSIM_VCCZ = 136,
  FLYSIM_EXECZ = 137,
  FLYSIM_SCC = 138,
  FLYSIM_LDS_DIRECT = 139,
  FLYSIM_NULL = 140 /* eight words */
};
enum FlySimOperandMods { FLYSIM_NEG = 1, FLYSIM_ABS = 2, FLYSIM_SEXT = 4, FLYSIM_HIGH_HALF = 8, FLYSIM_LOW_HALF = 16 };
typedef struct {
  uint8_t kind, mods;
  uint8_t count; /* registers */
  uint8_t reserved;
  uint16_t index;
  uint16_t reserved2;
  uint32_t value;
} FlySimOperand;

enum FlySimFlags {
  FLYSIM_GLC = 1,
  FLYSIM_SLC = 2,
  FLYSIM_NT = 4,
  FLYSIM_SC0 = 8,
  FLYSIM_SC1 = 16,
  FLYSIM_CLAMP = 32,
  FLYSIM_GDS = 64,
  FLYSIM_LDS = 128,
  FLYSIM_OFFEN = 256,
  FLYSIM_IDXEN = 512,
  FLYSIM_TFE = 1024,
  FLYSIM_BOUND_CTRL = 2048,
  FLYSIM_FI = 4096,
  FLYSIM_DLC = 8192,
  FLYSIM_DUAL = 16384 /* executed together with the next record */,
  FLYSIM_HIGH = 32768,
  FLYSIM_MATRIX_A_REUSE = 65536,
  FLYSIM_MATRIX_B_REUSE = 131072
};
enum FlySimForm { FLYSIM_PLAIN = 0, FLYSIM_SDWA = 1, FLYSIM_DPP = 2, FLYSIM_DPP8 = 3 };
#define FLYSIM_MAX_OPERANDS 8
typedef struct {
  uint32_t opcode; /* index into the names given with the code */
  uint32_t address; /* offset from the image's base */
  uint8_t size, operand_count, form, omod /* 0, 1: x2, 2: x4, 3: /2 */;
  uint8_t op_sel, op_sel_hi, neg_lo, neg_hi; /* bit per operand; op_sel_hi has all bits set when it is absent */
  uint32_t flags;
  int32_t offset, offset1; /* of memory accesses; ds_read2: offset0 and offset1 */
  uint32_t dpp_control; /* as encoded in DPP16; DPP8: eight 3-bit lanes */
  uint8_t row_mask, bank_mask, dst_sel,
      dst_unused; /* sel: 0-3 BYTE_n, 4 WORD_0, 5 WORD_1, 6 DWORD; unused: 0 pad, 1 sext, 2 preserve */
  uint8_t src0_sel, src1_sel, cbsz, abid;
  uint8_t blgp, reserved[3];
  FlySimOperand operands[FLYSIM_MAX_OPERANDS];
} FlySimRecord;

/* Implicit arguments that cost something to provide. */
enum FlySimHidden { FLYSIM_HIDDEN_HOST_CALLS = 1, FLYSIM_HIDDEN_PRINTF_BUFFER = 2, FLYSIM_HIDDEN_HEAP = 4 };
/* What a kernel descriptor and the metadata say; sgpr counts are those of user SGPRs in their fixed order. */
typedef struct {
  uint32_t struct_size;
  uint32_t entry; /* offset of the first instruction from the image's base */
  uint32_t kernarg_size, implicit_offset /* of the implicit arguments; ~0 when there are none */, static_lds,
      private_bytes;
  uint32_t wave_size, max_workgroup, vgprs, sgprs;
  uint32_t user_sgprs, kernarg_preload /* words */, kernarg_preload_offset /* words */;
  uint32_t user_bits; /* 1 private buffer, 2 dispatch ptr, 4 queue ptr, 8 kernarg ptr, 16 dispatch id, 32 flat scratch,
                         64 private size */
  uint32_t sgpr_bits; /* 1, 2, 4: workgroup id x, y, z; 8 workgroup info; 16 private segment wave offset */
  uint32_t vgpr_ids; /* 0 x, 1 xy, 2 xyz */
  uint32_t float_mode; /* low 8 bits of MODE, and bit 23, FP16_OVFL */
  uint32_t ieee, dx10_clamp, uses_dynamic_stack;
  uint32_t hidden; /* of FlySimHidden */
  uint32_t split_groups; /* waves of a workgroup may run on several units (tgsplit of gfx9) */
  uint32_t n_args;
  const uint32_t *arg_offsets, *arg_sizes; /* copied */
} FlySimKernelDesc;

FLYSIM_API FlySimModule *flysim_module_create(const char *arch, uint64_t image_size);
/* Where the loader copies the segments to; relocations use addresses in it. */
FLYSIM_API void *flysim_module_image(FlySimModule *module);
/* `names`: one opcode a line. FLYSIM_BAD_IMAGE names the first opcode that the engine does not have, inside the ranges
   [begin, end) of `ranges`: offsets of functions. */
FLYSIM_API int flysim_module_code(FlySimModule *module, const FlySimRecord *records, uint64_t count, const char *names,
                                  const uint32_t *ranges, uint64_t n_ranges, const char *texts, char *message,
                                  uint64_t message_size);
FLYSIM_API int flysim_module_add_kernel(FlySimModule *module, const char *name, const FlySimKernelDesc *desc);
FLYSIM_API int flysim_module_add_global(FlySimModule *module, const char *name, uint64_t offset, uint64_t size);
/* A line of the metadata `amdhsa.printf`. */
FLYSIM_API void flysim_module_add_format(FlySimModule *module, const char *line);
/* The line table: lines `offset file:line`, the offset in hexadecimal from the image's base, sorted. */
FLYSIM_API void flysim_module_lines(FlySimModule *module, const char *text);
/* Lines of opcode names with the signatures of their operands. */
FLYSIM_API const char *flysim_opcodes(void);

#ifdef __cplusplus
}
#endif
#endif
