/* The part of DLPack's C interface that a reader of tensors needs: the exchange API of DLPack 1.x. */
#ifndef FLY_READER_DLPACK_H
#define FLY_READER_DLPACK_H

#include <stdint.h>

#define FLY_DLPACK_MAJOR 1
#define FLY_DLPACK_CAPSULE "dlpack_exchange_api"

typedef struct DlTensor {
  void *data;
  int32_t device_kind, device_ordinal;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DlTensor;

typedef struct DlExchangeHeader {
  uint32_t major, minor;
  struct DlExchangeHeader *previous; /* that of an older version, or null */
} DlExchangeHeader;

/* Describe a tensor of the type that the API was found on: 0, or -1 with an exception set. What `out` points to is
 * valid until control returns to Python. */
typedef int (*DlTensorFromObject)(void *object, DlTensor *out);

/* The framework's current stream of a device: 0, or -1 with an exception set. */
typedef int (*DlCurrentWorkStream)(int32_t device_kind, int32_t device_ordinal, void **stream);

typedef struct DlExchange {
  DlExchangeHeader header;
  void *allocate, *export, *import; /* functions that are not called here */
  DlTensorFromObject tensor_from_object;
  DlCurrentWorkStream current_work_stream;
} DlExchange;

#endif
