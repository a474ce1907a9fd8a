buffer_atomic_add v20, off, s[8:11], 0
buffer_atomic_add_f32 v20, off, s[8:11], 0
buffer_atomic_add_f64 v[20:21], off, s[8:11], 0
buffer_atomic_add_x2 v[20:21], off, s[8:11], 0
buffer_atomic_and v20, off, s[8:11], 0
buffer_atomic_and_x2 v[20:21], off, s[8:11], 0
buffer_atomic_cmpswap v[20:21], off, s[8:11], 0
buffer_atomic_cmpswap_x2 v[20:23], off, s[8:11], 0
buffer_atomic_dec v20, off, s[8:11], 0
buffer_atomic_dec_x2 v[20:21], off, s[8:11], 0
buffer_atomic_inc v20, off, s[8:11], 0
buffer_atomic_inc_x2 v[20:21], off, s[8:11], 0
buffer_atomic_max_f64 v[20:21], off, s[8:11], 0
buffer_atomic_min_f64 v[20:21], off, s[8:11], 0
buffer_atomic_or v20, off, s[8:11], 0
buffer_atomic_or_x2 v[20:21], off, s[8:11], 0
buffer_atomic_pk_add_bf16 v20, off, s[8:11], 0
buffer_atomic_pk_add_f16 v20, off, s[8:11], 0
buffer_atomic_smax v20, off, s[8:11], 0
buffer_atomic_smax_x2 v[20:21], off, s[8:11], 0
buffer_atomic_smin v20, off, s[8:11], 0
buffer_atomic_smin_x2 v[20:21], off, s[8:11], 0
buffer_atomic_sub v20, off, s[8:11], 0
buffer_atomic_sub_x2 v[20:21], off, s[8:11], 0
buffer_atomic_swap v20, off, s[8:11], 0
buffer_atomic_swap_x2 v[20:21], off, s[8:11], 0
buffer_atomic_umax v20, off, s[8:11], 0
buffer_atomic_umax_x2 v[20:21], off, s[8:11], 0
buffer_atomic_umin v20, off, s[8:11], 0
buffer_atomic_umin_x2 v[20:21], off, s[8:11], 0
buffer_atomic_xor v20, off, s[8:11], 0
buffer_atomic_xor_x2 v[20:21], off, s[8:11], 0
buffer_inv
buffer_load_dword v20, off, s[8:11], 0
buffer_load_dwordx2 v[20:21], off, s[8:11], 0
buffer_load_dwordx3 v[20:22], off, s[8:11], 0
buffer_load_dwordx4 v[20:23], off, s[8:11], 0
buffer_load_format_d16_hi_x v20, off, s[8:11], 0
buffer_load_format_d16_x v20, off, s[8:11], 0
buffer_load_format_d16_xy v20, off, s[8:11], 0
buffer_load_format_d16_xyz v[20:21], off, s[8:11], 0
buffer_load_format_d16_xyzw v[20:21], off, s[8:11], 0
buffer_load_format_x v20, off, s[8:11], 0
buffer_load_format_xy v[20:21], off, s[8:11], 0
buffer_load_format_xyz v[20:22], off, s[8:11], 0
buffer_load_format_xyzw v[20:23], off, s[8:11], 0
buffer_load_sbyte v20, off, s[8:11], 0
buffer_load_sbyte_d16 v20, off, s[8:11], 0
buffer_load_sbyte_d16_hi v20, off, s[8:11], 0
buffer_load_short_d16 v20, off, s[8:11], 0
buffer_load_short_d16_hi v20, off, s[8:11], 0
buffer_load_sshort v20, off, s[8:11], 0
buffer_load_ubyte v20, off, s[8:11], 0
buffer_load_ubyte_d16 v20, off, s[8:11], 0
buffer_load_ubyte_d16_hi v20, off, s[8:11], 0
buffer_load_ushort v20, off, s[8:11], 0
buffer_store_byte v20, off, s[8:11], 0
buffer_store_byte_d16_hi v20, off, s[8:11], 0
buffer_store_dword v20, off, s[8:11], 0
buffer_store_dwordx2 v[20:21], off, s[8:11], 0
buffer_store_dwordx3 v[20:22], off, s[8:11], 0
buffer_store_dwordx4 v[20:23], off, s[8:11], 0
buffer_store_format_d16_hi_x v20, off, s[8:11], 0
buffer_store_format_d16_x v20, off, s[8:11], 0
buffer_store_format_d16_xy v20, off, s[8:11], 0
buffer_store_format_d16_xyz v[20:21], off, s[8:11], 0
buffer_store_format_d16_xyzw v[20:21], off, s[8:11], 0
buffer_store_format_x v20, off, s[8:11], 0
buffer_store_format_xy v[20:21], off, s[8:11], 0
buffer_store_format_xyz v[20:22], off, s[8:11], 0
buffer_store_format_xyzw v[20:23], off, s[8:11], 0
buffer_store_short v20, off, s[8:11], 0
buffer_store_short_d16_hi v20, off, s[8:11], 0
buffer_wbl2
ds_add_f32 v10, v1
ds_add_f64 v1, v[20:21]
ds_add_rtn_f32 v1, v20, v22
ds_add_rtn_f64 v[10:11], v1, v[20:21]
ds_add_rtn_u32 v1, v20, v22
ds_add_rtn_u64 v[10:11], v1, v[20:21]
ds_add_u32 v10, v1
ds_add_u64 v1, v[20:21]
ds_and_b32 v10, v1
ds_and_b64 v1, v[20:21]
ds_and_rtn_b32 v1, v20, v22
ds_and_rtn_b64 v[10:11], v1, v[20:21]
ds_append v1
ds_bpermute_b32 v1, v20, v22
ds_cmpst_b32 v1, v20, v22
ds_cmpst_b64 v1, v[20:21], v[22:23]
ds_cmpst_f32 v1, v20, v22
ds_cmpst_f64 v1, v[20:21], v[22:23]
ds_cmpst_rtn_b32 v10, v1, v20, v22
ds_cmpst_rtn_b64 v[10:11], v1, v[20:21], v[22:23]
ds_cmpst_rtn_f32 v10, v1, v20, v22
ds_cmpst_rtn_f64 v[10:11], v1, v[20:21], v[22:23]
ds_condxchg32_rtn_b64 v[10:11], v1, v[20:21]
ds_consume v1
ds_dec_rtn_u32 v1, v20, v22
ds_dec_rtn_u64 v[10:11], v1, v[20:21]
ds_dec_u32 v10, v1
ds_dec_u64 v1, v[20:21]
ds_gws_barrier v10 gds
ds_gws_init v10 gds
ds_gws_sema_br v10 gds
ds_gws_sema_p gds
ds_gws_sema_release_all gds
ds_gws_sema_v gds
ds_inc_rtn_u32 v1, v20, v22
ds_inc_rtn_u64 v[10:11], v1, v[20:21]
ds_inc_u32 v10, v1
ds_inc_u64 v1, v[20:21]
ds_max_f32 v10, v1
ds_max_f64 v1, v[20:21]
ds_max_i32 v10, v1
ds_max_i64 v1, v[20:21]
ds_max_rtn_f32 v1, v20, v22
ds_max_rtn_f64 v[10:11], v1, v[20:21]
ds_max_rtn_i32 v1, v20, v22
ds_max_rtn_i64 v[10:11], v1, v[20:21]
ds_max_rtn_u32 v1, v20, v22
ds_max_rtn_u64 v[10:11], v1, v[20:21]
ds_max_u32 v10, v1
ds_max_u64 v1, v[20:21]
ds_min_f32 v10, v1
ds_min_f64 v1, v[20:21]
ds_min_i32 v10, v1
ds_min_i64 v1, v[20:21]
ds_min_rtn_f32 v1, v20, v22
ds_min_rtn_f64 v[10:11], v1, v[20:21]
ds_min_rtn_i32 v1, v20, v22
ds_min_rtn_i64 v[10:11], v1, v[20:21]
ds_min_rtn_u32 v1, v20, v22
ds_min_rtn_u64 v[10:11], v1, v[20:21]
ds_min_u32 v10, v1
ds_min_u64 v1, v[20:21]
ds_mskor_b32 v1, v20, v22
ds_mskor_b64 v1, v[20:21], v[22:23]
ds_mskor_rtn_b32 v10, v1, v20, v22
ds_mskor_rtn_b64 v[10:11], v1, v[20:21], v[22:23]
ds_nop
ds_or_b32 v10, v1
ds_or_b64 v1, v[20:21]
ds_or_rtn_b32 v1, v20, v22
ds_or_rtn_b64 v[10:11], v1, v[20:21]
ds_permute_b32 v1, v20, v22
ds_pk_add_bf16 v10, v1
ds_pk_add_f16 v10, v1
ds_pk_add_rtn_bf16 v1, v20, v22
ds_pk_add_rtn_f16 v1, v20, v22
ds_read2_b32 v[10:11], v1
ds_read2_b64 v[10:13], v1
ds_read2st64_b32 v[10:11], v1
ds_read2st64_b64 v[10:13], v1
ds_read_addtid_b32 v1
ds_read_b128 v[10:13], v1
ds_read_b32 v10, v1
ds_read_b64 v[10:11], v1
ds_read_b64_tr_b16 v[10:11], v1
ds_read_b64_tr_b4 v[10:11], v1
ds_read_b64_tr_b8 v[10:11], v1
ds_read_b96 v[10:12], v1
ds_read_b96_tr_b6 v[10:12], v1
ds_read_i16 v10, v1
ds_read_i8 v10, v1
ds_read_i8_d16 v10, v1
ds_read_i8_d16_hi v10, v1
ds_read_u16 v10, v1
ds_read_u16_d16 v10, v1
ds_read_u16_d16_hi v10, v1
ds_read_u8 v10, v1
ds_read_u8_d16 v10, v1
ds_read_u8_d16_hi v10, v1
ds_rsub_rtn_u32 v1, v20, v22
ds_rsub_rtn_u64 v[10:11], v1, v[20:21]
ds_rsub_u32 v10, v1
ds_rsub_u64 v1, v[20:21]
ds_sub_rtn_u32 v1, v20, v22
ds_sub_rtn_u64 v[10:11], v1, v[20:21]
ds_sub_u32 v10, v1
ds_sub_u64 v1, v[20:21]
ds_swizzle_b32 v10, v1
ds_wrap_rtn_b32 v10, v1, v20, v22
ds_write2_b32 v1, v20, v22
ds_write2_b64 v1, v[20:21], v[22:23]
ds_write2st64_b32 v1, v20, v22
ds_write2st64_b64 v1, v[20:21], v[22:23]
ds_write_addtid_b32 v1
ds_write_b128 v1, v[40:43]
ds_write_b16 v10, v1
ds_write_b16_d16_hi v10, v1
ds_write_b32 v10, v1
ds_write_b64 v1, v[20:21]
ds_write_b8 v10, v1
ds_write_b8_d16_hi v10, v1
ds_write_b96 v1, v[20:22]
ds_wrxchg2_rtn_b32 v[10:11], v1, v20, v22
ds_wrxchg2_rtn_b64 v[10:13], v1, v[20:21], v[22:23]
ds_wrxchg2st64_rtn_b32 v[10:11], v1, v20, v22
ds_wrxchg2st64_rtn_b64 v[10:13], v1, v[20:21], v[22:23]
ds_wrxchg_rtn_b32 v1, v20, v22
ds_wrxchg_rtn_b64 v[10:11], v1, v[20:21]
ds_xor_b32 v10, v1
ds_xor_b64 v1, v[20:21]
ds_xor_rtn_b32 v1, v20, v22
ds_xor_rtn_b64 v[10:11], v1, v[20:21]
flat_atomic_add v[2:3], v20
flat_atomic_add_f32 v[2:3], v20
flat_atomic_add_f64 v[2:3], v[20:21]
flat_atomic_add_x2 v[2:3], v[20:21]
flat_atomic_and v[2:3], v20
flat_atomic_and_x2 v[2:3], v[20:21]
flat_atomic_cmpswap v[2:3], v[20:21]
flat_atomic_cmpswap_x2 v[2:3], v[20:23]
flat_atomic_dec v[2:3], v20
flat_atomic_dec_x2 v[2:3], v[20:21]
flat_atomic_inc v[2:3], v20
flat_atomic_inc_x2 v[2:3], v[20:21]
flat_atomic_max_f64 v[2:3], v[20:21]
flat_atomic_min_f64 v[2:3], v[20:21]
flat_atomic_or v[2:3], v20
flat_atomic_or_x2 v[2:3], v[20:21]
flat_atomic_pk_add_bf16 v[2:3], v20
flat_atomic_pk_add_f16 v[2:3], v20
flat_atomic_smax v[2:3], v20
flat_atomic_smax_x2 v[2:3], v[20:21]
flat_atomic_smin v[2:3], v20
flat_atomic_smin_x2 v[2:3], v[20:21]
flat_atomic_sub v[2:3], v20
flat_atomic_sub_x2 v[2:3], v[20:21]
flat_atomic_swap v[2:3], v20
flat_atomic_swap_x2 v[2:3], v[20:21]
flat_atomic_umax v[2:3], v20
flat_atomic_umax_x2 v[2:3], v[20:21]
flat_atomic_umin v[2:3], v20
flat_atomic_umin_x2 v[2:3], v[20:21]
flat_atomic_xor v[2:3], v20
flat_atomic_xor_x2 v[2:3], v[20:21]
flat_load_dword v1, v[20:21]
flat_load_dwordx2 v[2:3], v[20:21]
flat_load_dwordx3 v[10:12], v[2:3]
flat_load_dwordx4 v[10:13], v[2:3]
flat_load_sbyte v1, v[20:21]
flat_load_sbyte_d16 v1, v[20:21]
flat_load_sbyte_d16_hi v1, v[20:21]
flat_load_short_d16 v1, v[20:21]
flat_load_short_d16_hi v1, v[20:21]
flat_load_sshort v1, v[20:21]
flat_load_ubyte v1, v[20:21]
flat_load_ubyte_d16 v1, v[20:21]
flat_load_ubyte_d16_hi v1, v[20:21]
flat_load_ushort v1, v[20:21]
flat_store_byte v[2:3], v20
flat_store_byte_d16_hi v[2:3], v20
flat_store_dword v[2:3], v20
flat_store_dwordx2 v[2:3], v[20:21]
flat_store_dwordx3 v[2:3], v[20:22]
flat_store_dwordx4 v[2:3], v[20:23]
flat_store_short v[2:3], v20
flat_store_short_d16_hi v[2:3], v20
global_atomic_add v[2:3], v20, off
global_atomic_add_f32 v[2:3], v20, off
global_atomic_add_f64 v[2:3], v[20:21], off
global_atomic_add_x2 v[2:3], v[20:21], off
global_atomic_and v[2:3], v20, off
global_atomic_and_x2 v[2:3], v[20:21], off
global_atomic_cmpswap v[2:3], v[20:21], off
global_atomic_cmpswap_x2 v[2:3], v[20:23], off
global_atomic_dec v[2:3], v20, off
global_atomic_dec_x2 v[2:3], v[20:21], off
global_atomic_inc v[2:3], v20, off
global_atomic_inc_x2 v[2:3], v[20:21], off
global_atomic_max_f64 v[2:3], v[20:21], off
global_atomic_min_f64 v[2:3], v[20:21], off
global_atomic_or v[2:3], v20, off
global_atomic_or_x2 v[2:3], v[20:21], off
global_atomic_pk_add_bf16 v[2:3], v20, off
global_atomic_pk_add_f16 v[2:3], v20, off
global_atomic_smax v[2:3], v20, off
global_atomic_smax_x2 v[2:3], v[20:21], off
global_atomic_smin v[2:3], v20, off
global_atomic_smin_x2 v[2:3], v[20:21], off
global_atomic_sub v[2:3], v20, off
global_atomic_sub_x2 v[2:3], v[20:21], off
global_atomic_swap v[2:3], v20, off
global_atomic_swap_x2 v[2:3], v[20:21], off
global_atomic_umax v[2:3], v20, off
global_atomic_umax_x2 v[2:3], v[20:21], off
global_atomic_umin v[2:3], v20, off
global_atomic_umin_x2 v[2:3], v[20:21], off
global_atomic_xor v[2:3], v20, off
global_atomic_xor_x2 v[2:3], v[20:21], off
global_load_dword v1, v[20:21], off
global_load_dwordx2 v[2:3], v[20:21], off
global_load_dwordx3 v[10:12], v[2:3], off
global_load_dwordx4 v[10:13], v[2:3], off
global_load_lds_dword v[2:3], off
global_load_lds_dwordx3 v[2:3], off
global_load_lds_dwordx4 v[2:3], off
global_load_lds_sbyte v[2:3], off
global_load_lds_sshort v[2:3], off
global_load_lds_ubyte v[2:3], off
global_load_lds_ushort v[2:3], off
global_load_sbyte v1, v[20:21], off
global_load_sbyte_d16 v1, v[20:21], off
global_load_sbyte_d16_hi v1, v[20:21], off
global_load_short_d16 v1, v[20:21], off
global_load_short_d16_hi v1, v[20:21], off
global_load_sshort v1, v[20:21], off
global_load_ubyte v1, v[20:21], off
global_load_ubyte_d16 v1, v[20:21], off
global_load_ubyte_d16_hi v1, v[20:21], off
global_load_ushort v1, v[20:21], off
global_store_byte v[2:3], v20, off
global_store_byte_d16_hi v[2:3], v20, off
global_store_dword v[2:3], v20, off
global_store_dwordx2 v[2:3], v[20:21], off
global_store_dwordx3 v[2:3], v[20:22], off
global_store_dwordx4 v[2:3], v[20:23], off
global_store_short v[2:3], v20, off
global_store_short_d16_hi v[2:3], v20, off
s_abs_i32 s20, 0xfffff94c
s_absdiff_i32 s20, s22, s24
s_add_i32 s20, s22, s24
s_add_u32 s20, s22, s24
s_addc_u32 s20, s22, s24
s_addk_i32 s20, 0x5
s_and_b32 s20, s22, s24
s_and_b64 s[20:21], s[22:23], s[24:25]
s_and_saveexec_b64 s[20:21], s[22:23]
s_andn1_saveexec_b64 s[20:21], s[22:23]
s_andn1_wrexec_b64 s[20:21], s[22:23]
s_andn2_b32 s20, s22, s24
s_andn2_b64 s[20:21], s[22:23], s[24:25]
s_andn2_saveexec_b64 s[20:21], s[22:23]
s_andn2_wrexec_b64 s[20:21], s[22:23]
s_ashr_i32 s20, s22, s24
s_ashr_i64 s[20:21], s[22:23], s24
s_atc_probe 3, s[4:5], 0x0
s_atc_probe_buffer 3, s[8:11], 0x0
s_atomic_add s20, s[22:23], 0x0
s_atomic_add_x2 s[20:21], s[22:23], 0x0
s_atomic_and s20, s[22:23], 0x0
s_atomic_and_x2 s[20:21], s[22:23], 0x0
s_atomic_cmpswap s[20:21], s[22:23], 0x0
s_atomic_cmpswap_x2 s[32:35], s[4:5], 0x0
s_atomic_dec s20, s[22:23], 0x0
s_atomic_dec_x2 s[20:21], s[22:23], 0x0
s_atomic_inc s20, s[22:23], 0x0
s_atomic_inc_x2 s[20:21], s[22:23], 0x0
s_atomic_or s20, s[22:23], 0x0
s_atomic_or_x2 s[20:21], s[22:23], 0x0
s_atomic_smax s20, s[22:23], 0x0
s_atomic_smax_x2 s[20:21], s[22:23], 0x0
s_atomic_smin s20, s[22:23], 0x0
s_atomic_smin_x2 s[20:21], s[22:23], 0x0
s_atomic_sub s20, s[22:23], 0x0
s_atomic_sub_x2 s[20:21], s[22:23], 0x0
s_atomic_swap s20, s[22:23], 0x0
s_atomic_swap_x2 s[20:21], s[22:23], 0x0
s_atomic_umax s20, s[22:23], 0x0
s_atomic_umax_x2 s[20:21], s[22:23], 0x0
s_atomic_umin s20, s[22:23], 0x0
s_atomic_umin_x2 s[20:21], s[22:23], 0x0
s_atomic_xor s20, s[22:23], 0x0
s_atomic_xor_x2 s[20:21], s[22:23], 0x0
s_barrier
s_bcnt0_i32_b32 s20, 0xfffff838
s_bcnt0_i32_b64 s20, s[22:23]
s_bcnt1_i32_b32 s20, 0xfffff82c
s_bcnt1_i32_b64 s20, s[22:23]
s_bfe_i32 s20, s22, s24
s_bfe_i64 s[20:21], s[22:23], s24
s_bfe_u32 s20, s22, s24
s_bfe_u64 s[20:21], s[22:23], s24
s_bfm_b32 s20, s22, s24
s_bfm_b64 s[20:21], s22, s24
s_bitcmp0_b32 s20, 0xfffff808
s_bitcmp0_b64 s[20:21], 0xfffff800
s_bitcmp1_b32 s20, 0xfffff7f8
s_bitcmp1_b64 s[20:21], 0xfffff7f0
s_bitreplicate_b64_b32 s[20:21], 0xfffff7e8
s_bitset0_b32 s20, 0xfffff7e0
s_bitset0_b64 s[20:21], 0xfffff7d8
s_bitset1_b32 s20, 0xfffff7d0
s_bitset1_b64 s[20:21], 0xfffff7c8
s_branch L
s_brev_b32 s20, 0xfffff7bc
s_brev_b64 s[20:21], s[22:23]
s_buffer_atomic_add s32, s[8:11], 0x0
s_buffer_atomic_add_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_and s32, s[8:11], 0x0
s_buffer_atomic_and_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_cmpswap s[32:33], s[8:11], 0x0
s_buffer_atomic_cmpswap_x2 s[32:35], s[8:11], 0x0
s_buffer_atomic_dec s32, s[8:11], 0x0
s_buffer_atomic_dec_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_inc s32, s[8:11], 0x0
s_buffer_atomic_inc_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_or s32, s[8:11], 0x0
s_buffer_atomic_or_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_smax s32, s[8:11], 0x0
s_buffer_atomic_smax_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_smin s32, s[8:11], 0x0
s_buffer_atomic_smin_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_sub s32, s[8:11], 0x0
s_buffer_atomic_sub_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_swap s32, s[8:11], 0x0
s_buffer_atomic_swap_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_umax s32, s[8:11], 0x0
s_buffer_atomic_umax_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_umin s32, s[8:11], 0x0
s_buffer_atomic_umin_x2 s[32:33], s[8:11], 0x0
s_buffer_atomic_xor s32, s[8:11], 0x0
s_buffer_atomic_xor_x2 s[32:33], s[8:11], 0x0
s_buffer_load_dword s32, s[8:11], 0x0
s_buffer_load_dwordx16 s[32:47], s[8:11], 0x0
s_buffer_load_dwordx2 s[32:33], s[8:11], 0x0
s_buffer_load_dwordx4 s[32:35], s[8:11], 0x0
s_buffer_load_dwordx8 s[32:39], s[8:11], 0x0
s_buffer_store_dword s32, s[8:11], 0x0
s_buffer_store_dwordx2 s[32:33], s[8:11], 0x0
s_buffer_store_dwordx4 s[32:35], s[8:11], 0x0
s_call_b64 s[20:21], L
s_cbranch_cdbgsys L
s_cbranch_cdbgsys_and_user L
s_cbranch_cdbgsys_or_user L
s_cbranch_cdbguser L
s_cbranch_execnz L
s_cbranch_execz L
s_cbranch_g_fork s[20:21], L
s_cbranch_i_fork s[20:21], L
s_cbranch_join L
s_cbranch_scc0 L
s_cbranch_scc1 L
s_cbranch_vccnz L
s_cbranch_vccz L
s_cmov_b32 s20, 0xfffff690
s_cmov_b64 s[20:21], s[22:23]
s_cmovk_i32 s20, 0x5
s_cmp_eq_i32 s20, 0xfffff680
s_cmp_eq_u32 s20, 0xfffff678
s_cmp_eq_u64 s[20:21], s[22:23]
s_cmp_ge_i32 s20, 0xfffff66c
s_cmp_ge_u32 s20, 0xfffff664
s_cmp_gt_i32 s20, 0xfffff65c
s_cmp_gt_u32 s20, 0xfffff654
s_cmp_le_i32 s20, 0xfffff64c
s_cmp_le_u32 s20, 0xfffff644
s_cmp_lg_i32 s20, 0xfffff63c
s_cmp_lg_u32 s20, 0xfffff634
s_cmp_lg_u64 s[20:21], s[22:23]
s_cmp_lt_i32 s20, 0xfffff628
s_cmp_lt_u32 s20, 0xfffff620
s_cmpk_eq_i32 s20, 0x5
s_cmpk_eq_u32 s20, 0x5
s_cmpk_ge_i32 s20, 0x5
s_cmpk_ge_u32 s20, 0x5
s_cmpk_gt_i32 s20, 0x5
s_cmpk_gt_u32 s20, 0x5
s_cmpk_le_i32 s20, 0x5
s_cmpk_le_u32 s20, 0x5
s_cmpk_lg_i32 s20, 0x5
s_cmpk_lg_u32 s20, 0x5
s_cmpk_lt_i32 s20, 0x5
s_cmpk_lt_u32 s20, 0x5
s_cselect_b32 s20, s22, s24
s_cselect_b64 s[20:21], s[22:23], s[24:25]
s_dcache_discard s[20:21], 0x0
s_dcache_discard_x2 s[20:21], 0x0
s_dcache_inv
s_dcache_inv_vol
s_dcache_wb
s_dcache_wb_vol
s_decperflevel 0
s_endpgm
s_endpgm_ordered_ps_done
s_endpgm_saved
s_ff0_i32_b32 s20, 0xfffff5a0
s_ff0_i32_b64 s20, s[22:23]
s_ff1_i32_b32 s20, 0xfffff594
s_ff1_i32_b64 s20, s[22:23]
s_flbit_i32 s20, 0xfffff588
s_flbit_i32_b32 s20, 0xfffff580
s_flbit_i32_b64 s20, s[22:23]
s_flbit_i32_i64 s20, s[22:23]
s_getpc_b64 s[20:21]
s_getreg_b32 s20, hwreg(HW_REG_GPR_ALLOC, 0, 1)
s_icache_inv
s_incperflevel 0
s_load_dword s20, s[22:23], 0x0
s_load_dwordx16 s[32:47], s[4:5], 0x0
s_load_dwordx2 s[20:21], s[22:23], 0x0
s_load_dwordx4 s[32:35], s[4:5], 0x0
s_load_dwordx8 s[32:39], s[4:5], 0x0
s_lshl1_add_u32 s20, s22, s24
s_lshl2_add_u32 s20, s22, s24
s_lshl3_add_u32 s20, s22, s24
s_lshl4_add_u32 s20, s22, s24
s_lshl_b32 s20, s22, s24
s_lshl_b64 s[20:21], s[22:23], s24
s_lshr_b32 s20, s22, s24
s_lshr_b64 s[20:21], s[22:23], s24
s_max_i32 s20, s22, s24
s_max_u32 s20, s22, s24
s_memrealtime s[20:21]
s_memtime s[20:21]
s_min_i32 s20, s22, s24
s_min_u32 s20, s22, s24
s_mov_b32 s20, 0xfffff510
s_mov_b64 s[20:21], s[22:23]
s_movk_i32 s20, 0x5
s_movreld_b32 s20, 0xfffff500
s_movreld_b64 s[20:21], s[22:23]
s_movrels_b32 s20, s22
s_movrels_b64 s[20:21], s[22:23]
s_mul_hi_i32 s20, s22, s24
s_mul_hi_u32 s20, s22, s24
s_mul_i32 s20, s22, s24
s_mulk_i32 s20, 0x5
s_nand_b32 s20, s22, s24
s_nand_b64 s[20:21], s[22:23], s[24:25]
s_nand_saveexec_b64 s[20:21], s[22:23]
s_nop 0
s_nor_b32 s20, s22, s24
s_nor_b64 s[20:21], s[22:23], s[24:25]
s_nor_saveexec_b64 s[20:21], s[22:23]
s_not_b32 s20, 0xfffff4c0
s_not_b64 s[20:21], s[22:23]
s_or_b32 s20, s22, s24
s_or_b64 s[20:21], s[22:23], s[24:25]
s_or_saveexec_b64 s[20:21], s[22:23]
s_orn1_saveexec_b64 s[20:21], s[22:23]
s_orn2_b32 s20, s22, s24
s_orn2_b64 s[20:21], s[22:23], s[24:25]
s_orn2_saveexec_b64 s[20:21], s[22:23]
s_pack_hh_b32_b16 s20, s22, s24
s_pack_lh_b32_b16 s20, s22, s24
s_pack_ll_b32_b16 s20, s22, s24
s_quadmask_b32 s20, 0xfffff48c
s_quadmask_b64 s[20:21], s[22:23]
s_rfe_b64 s[20:21]
s_rfe_restore_b64 s[20:21], 0xfffff47c
s_scratch_load_dword s20, s[22:23], 0x0
s_scratch_load_dwordx2 s[20:21], s[22:23], 0x0
s_scratch_load_dwordx4 s[32:35], s[4:5], 0x0
s_scratch_store_dword s20, s[22:23], 0x0
s_scratch_store_dwordx2 s[20:21], s[22:23], 0x0
s_scratch_store_dwordx4 s[32:35], s[4:5], 0x0
s_sendmsg sendmsg(0, 0, 0)
s_sendmsghalt sendmsg(0, 0, 0)
s_set_gpr_idx_idx 0
s_set_gpr_idx_mode gpr_idx()
s_set_gpr_idx_off
s_set_gpr_idx_on s20, gpr_idx(SRC0,SRC2)
s_sethalt 0
s_setkill 0
s_setpc_b64 s[20:21]
s_setprio 0
s_setreg_b32 hwreg(HW_REG_MODE), s20
s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0xf0
s_setvskip s20, 0xfffff420
s_sext_i32_i16 s20, 0xfffff418
s_sext_i32_i8 s20, 0xfffff410
s_sleep 0
s_store_dword s20, s[22:23], 0x0
s_store_dwordx2 s[20:21], s[22:23], 0x0
s_store_dwordx4 s[32:35], s[4:5], 0x0
s_sub_i32 s20, s22, s24
s_sub_u32 s20, s22, s24
s_subb_u32 s20, s22, s24
s_swappc_b64 s[20:21], s[22:23]
s_trap 0
s_ttracedata
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_wakeup
s_wqm_b32 s20, 0xfffff3d4
s_wqm_b64 s[20:21], s[22:23]
s_xnor_b32 s20, s22, s24
s_xnor_b64 s[20:21], s[22:23], s[24:25]
s_xnor_saveexec_b64 s[20:21], s[22:23]
s_xor_b32 s20, s22, s24
s_xor_b64 s[20:21], s[22:23], s[24:25]
s_xor_saveexec_b64 s[20:21], s[22:23]
scratch_load_dword v1, v20, off
scratch_load_dwordx2 v[2:3], v20, off
scratch_load_dwordx3 v[10:12], v1, off
scratch_load_dwordx4 v[10:13], v1, off
scratch_load_lds_dword v10, off
scratch_load_lds_sbyte v10, off
scratch_load_lds_sshort v10, off
scratch_load_lds_ubyte v10, off
scratch_load_lds_ushort v10, off
scratch_load_sbyte v1, v20, off
scratch_load_sbyte_d16 v1, v20, off
scratch_load_sbyte_d16_hi v1, v20, off
scratch_load_short_d16 v1, v20, off
scratch_load_short_d16_hi v1, v20, off
scratch_load_sshort v1, v20, off
scratch_load_ubyte v1, v20, off
scratch_load_ubyte_d16 v1, v20, off
scratch_load_ubyte_d16_hi v1, v20, off
scratch_load_ushort v1, v20, off
scratch_store_byte v1, v20, off
scratch_store_byte_d16_hi v1, v20, off
scratch_store_dword v1, v20, off
scratch_store_dwordx2 v1, v[20:21], off
scratch_store_dwordx3 v1, v[20:22], off
scratch_store_dwordx4 v1, v[20:23], off
scratch_store_short v1, v20, off
scratch_store_short_d16_hi v1, v20, off
v_accvgpr_mov_b32 a0, a1
v_accvgpr_read_b32 v10, a0
v_accvgpr_write_b32 a0, v10
v_add3_u32 v10, v20, v22, v24
v_add_co_u32_e32 v10, vcc, v20, v22
v_add_f16_e32 v10, v20, v22
v_add_f32_e32 v10, v20, v22
v_add_f64 v[10:11], v[20:21], v[22:23]
v_add_i16 v10, v20, v22
v_add_i32 v10, v20, v22
v_add_lshl_u32 v10, v20, v22, v24
v_add_u16_e32 v10, v20, v22
v_add_u32_e32 v10, v20, v22
v_addc_co_u32_e32 v10, vcc, v20, v22, vcc
v_alignbit_b32 v10, v20, v22, v24
v_alignbyte_b32 v10, v20, v22, v24
v_and_b32_e32 v10, v20, v22
v_and_or_b32 v10, v20, v22, v24
v_ashr_pk_i8_i32 v10, v20, v22, v24
v_ashr_pk_u8_i32 v10, v20, v22, v24
v_ashrrev_i16_e32 v10, v20, v22
v_ashrrev_i32_e32 v10, v20, v22
v_ashrrev_i64 v[10:11], v20, v[22:23]
v_bcnt_u32_b32 v10, v20, v22
v_bfe_i32 v10, v20, v22, v24
v_bfe_u32 v10, v20, v22, v24
v_bfi_b32 v10, v20, v22, v24
v_bfm_b32 v10, v20, v22
v_bfrev_b32_e32 v10, v20
v_bitop3_b16 v10, v20, v22, v24
v_bitop3_b32 v10, v20, v22, v24
v_ceil_f16_e32 v10, v20
v_ceil_f32_e32 v10, v20
v_ceil_f64_e32 v[10:11], v[20:21]
v_clrexcp
v_cmp_class_f16_e32 vcc, v10, v20
v_cmp_class_f32_e32 vcc, v10, v20
v_cmp_class_f64_e32 vcc, v[10:11], v20
v_cmp_eq_f16_e32 vcc, v10, v20
v_cmp_eq_f32_e32 vcc, v10, v20
v_cmp_eq_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_eq_i16_e32 vcc, v10, v20
v_cmp_eq_i32_e32 vcc, v10, v20
v_cmp_eq_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_eq_u16_e32 vcc, v10, v20
v_cmp_eq_u32_e32 vcc, v10, v20
v_cmp_eq_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_f_f16_e32 vcc, v10, v20
v_cmp_f_f32_e32 vcc, v10, v20
v_cmp_f_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_f_i16_e32 vcc, v10, v20
v_cmp_f_i32_e32 vcc, v10, v20
v_cmp_f_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_f_u16_e32 vcc, v10, v20
v_cmp_f_u32_e32 vcc, v10, v20
v_cmp_f_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_ge_f16_e32 vcc, v10, v20
v_cmp_ge_f32_e32 vcc, v10, v20
v_cmp_ge_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_ge_i16_e32 vcc, v10, v20
v_cmp_ge_i32_e32 vcc, v10, v20
v_cmp_ge_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_ge_u16_e32 vcc, v10, v20
v_cmp_ge_u32_e32 vcc, v10, v20
v_cmp_ge_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_gt_f16_e32 vcc, v10, v20
v_cmp_gt_f32_e32 vcc, v10, v20
v_cmp_gt_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_gt_i16_e32 vcc, v10, v20
v_cmp_gt_i32_e32 vcc, v10, v20
v_cmp_gt_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_gt_u16_e32 vcc, v10, v20
v_cmp_gt_u32_e32 vcc, v10, v20
v_cmp_gt_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_le_f16_e32 vcc, v10, v20
v_cmp_le_f32_e32 vcc, v10, v20
v_cmp_le_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_le_i16_e32 vcc, v10, v20
v_cmp_le_i32_e32 vcc, v10, v20
v_cmp_le_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_le_u16_e32 vcc, v10, v20
v_cmp_le_u32_e32 vcc, v10, v20
v_cmp_le_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_lg_f16_e32 vcc, v10, v20
v_cmp_lg_f32_e32 vcc, v10, v20
v_cmp_lg_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_lt_f16_e32 vcc, v10, v20
v_cmp_lt_f32_e32 vcc, v10, v20
v_cmp_lt_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_lt_i16_e32 vcc, v10, v20
v_cmp_lt_i32_e32 vcc, v10, v20
v_cmp_lt_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_lt_u16_e32 vcc, v10, v20
v_cmp_lt_u32_e32 vcc, v10, v20
v_cmp_lt_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_ne_i16_e32 vcc, v10, v20
v_cmp_ne_i32_e32 vcc, v10, v20
v_cmp_ne_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_ne_u16_e32 vcc, v10, v20
v_cmp_ne_u32_e32 vcc, v10, v20
v_cmp_ne_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_neq_f16_e32 vcc, v10, v20
v_cmp_neq_f32_e32 vcc, v10, v20
v_cmp_neq_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_nge_f16_e32 vcc, v10, v20
v_cmp_nge_f32_e32 vcc, v10, v20
v_cmp_nge_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_ngt_f16_e32 vcc, v10, v20
v_cmp_ngt_f32_e32 vcc, v10, v20
v_cmp_ngt_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_nle_f16_e32 vcc, v10, v20
v_cmp_nle_f32_e32 vcc, v10, v20
v_cmp_nle_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_nlg_f16_e32 vcc, v10, v20
v_cmp_nlg_f32_e32 vcc, v10, v20
v_cmp_nlg_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_nlt_f16_e32 vcc, v10, v20
v_cmp_nlt_f32_e32 vcc, v10, v20
v_cmp_nlt_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_o_f16_e32 vcc, v10, v20
v_cmp_o_f32_e32 vcc, v10, v20
v_cmp_o_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_t_i16_e32 vcc, v10, v20
v_cmp_t_i32_e32 vcc, v10, v20
v_cmp_t_i64_e32 vcc, v[10:11], v[20:21]
v_cmp_t_u16_e32 vcc, v10, v20
v_cmp_t_u32_e32 vcc, v10, v20
v_cmp_t_u64_e32 vcc, v[10:11], v[20:21]
v_cmp_tru_f16_e32 vcc, v10, v20
v_cmp_tru_f32_e32 vcc, v10, v20
v_cmp_tru_f64_e32 vcc, v[10:11], v[20:21]
v_cmp_u_f16_e32 vcc, v10, v20
v_cmp_u_f32_e32 vcc, v10, v20
v_cmp_u_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_class_f16_e32 vcc, v10, v20
v_cmpx_class_f32_e32 vcc, v10, v20
v_cmpx_class_f64_e32 vcc, v[10:11], v20
v_cmpx_eq_f16_e32 vcc, v10, v20
v_cmpx_eq_f32_e32 vcc, v10, v20
v_cmpx_eq_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_eq_i16_e32 vcc, v10, v20
v_cmpx_eq_i32_e32 vcc, v10, v20
v_cmpx_eq_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_eq_u16_e32 vcc, v10, v20
v_cmpx_eq_u32_e32 vcc, v10, v20
v_cmpx_eq_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_f_f16_e32 vcc, v10, v20
v_cmpx_f_f32_e32 vcc, v10, v20
v_cmpx_f_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_f_i16_e32 vcc, v10, v20
v_cmpx_f_i32_e32 vcc, v10, v20
v_cmpx_f_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_f_u16_e32 vcc, v10, v20
v_cmpx_f_u32_e32 vcc, v10, v20
v_cmpx_f_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_ge_f16_e32 vcc, v10, v20
v_cmpx_ge_f32_e32 vcc, v10, v20
v_cmpx_ge_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_ge_i16_e32 vcc, v10, v20
v_cmpx_ge_i32_e32 vcc, v10, v20
v_cmpx_ge_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_ge_u16_e32 vcc, v10, v20
v_cmpx_ge_u32_e32 vcc, v10, v20
v_cmpx_ge_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_gt_f16_e32 vcc, v10, v20
v_cmpx_gt_f32_e32 vcc, v10, v20
v_cmpx_gt_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_gt_i16_e32 vcc, v10, v20
v_cmpx_gt_i32_e32 vcc, v10, v20
v_cmpx_gt_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_gt_u16_e32 vcc, v10, v20
v_cmpx_gt_u32_e32 vcc, v10, v20
v_cmpx_gt_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_le_f16_e32 vcc, v10, v20
v_cmpx_le_f32_e32 vcc, v10, v20
v_cmpx_le_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_le_i16_e32 vcc, v10, v20
v_cmpx_le_i32_e32 vcc, v10, v20
v_cmpx_le_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_le_u16_e32 vcc, v10, v20
v_cmpx_le_u32_e32 vcc, v10, v20
v_cmpx_le_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_lg_f16_e32 vcc, v10, v20
v_cmpx_lg_f32_e32 vcc, v10, v20
v_cmpx_lg_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_lt_f16_e32 vcc, v10, v20
v_cmpx_lt_f32_e32 vcc, v10, v20
v_cmpx_lt_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_lt_i16_e32 vcc, v10, v20
v_cmpx_lt_i32_e32 vcc, v10, v20
v_cmpx_lt_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_lt_u16_e32 vcc, v10, v20
v_cmpx_lt_u32_e32 vcc, v10, v20
v_cmpx_lt_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_ne_i16_e32 vcc, v10, v20
v_cmpx_ne_i32_e32 vcc, v10, v20
v_cmpx_ne_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_ne_u16_e32 vcc, v10, v20
v_cmpx_ne_u32_e32 vcc, v10, v20
v_cmpx_ne_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_neq_f16_e32 vcc, v10, v20
v_cmpx_neq_f32_e32 vcc, v10, v20
v_cmpx_neq_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_nge_f16_e32 vcc, v10, v20
v_cmpx_nge_f32_e32 vcc, v10, v20
v_cmpx_nge_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_ngt_f16_e32 vcc, v10, v20
v_cmpx_ngt_f32_e32 vcc, v10, v20
v_cmpx_ngt_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_nle_f16_e32 vcc, v10, v20
v_cmpx_nle_f32_e32 vcc, v10, v20
v_cmpx_nle_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_nlg_f16_e32 vcc, v10, v20
v_cmpx_nlg_f32_e32 vcc, v10, v20
v_cmpx_nlg_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_nlt_f16_e32 vcc, v10, v20
v_cmpx_nlt_f32_e32 vcc, v10, v20
v_cmpx_nlt_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_o_f16_e32 vcc, v10, v20
v_cmpx_o_f32_e32 vcc, v10, v20
v_cmpx_o_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_t_i16_e32 vcc, v10, v20
v_cmpx_t_i32_e32 vcc, v10, v20
v_cmpx_t_i64_e32 vcc, v[10:11], v[20:21]
v_cmpx_t_u16_e32 vcc, v10, v20
v_cmpx_t_u32_e32 vcc, v10, v20
v_cmpx_t_u64_e32 vcc, v[10:11], v[20:21]
v_cmpx_tru_f16_e32 vcc, v10, v20
v_cmpx_tru_f32_e32 vcc, v10, v20
v_cmpx_tru_f64_e32 vcc, v[10:11], v[20:21]
v_cmpx_u_f16_e32 vcc, v10, v20
v_cmpx_u_f32_e32 vcc, v10, v20
v_cmpx_u_f64_e32 vcc, v[10:11], v[20:21]
v_cndmask_b32_e32 v10, v20, v22, vcc
v_cos_f16_e32 v10, v20
v_cos_f32_e32 v10, v20
v_cubeid_f32 v10, v20, v22, v24
v_cubema_f32 v10, v20, v22, v24
v_cubesc_f32 v10, v20, v22, v24
v_cubetc_f32 v10, v20, v22, v24
v_cvt_f16_f32_e32 v10, v20
v_cvt_f16_i16_e32 v10, v20
v_cvt_f16_u16_e32 v10, v20
v_cvt_f32_bf16_e32 v10, v20
v_cvt_f32_bf8_e32 v10, v20
v_cvt_f32_f16_e32 v10, v20
v_cvt_f32_f64_e32 v10, v[20:21]
v_cvt_f32_fp8_e32 v10, v20
v_cvt_f32_i32_e32 v10, v20
v_cvt_f32_u32_e32 v10, v20
v_cvt_f32_ubyte0_e32 v10, v20
v_cvt_f32_ubyte1_e32 v10, v20
v_cvt_f32_ubyte2_e32 v10, v20
v_cvt_f32_ubyte3_e32 v10, v20
v_cvt_f64_f32_e32 v[10:11], v20
v_cvt_f64_i32_e32 v[10:11], v20
v_cvt_f64_u32_e32 v[10:11], v20
v_cvt_flr_i32_f32_e32 v10, v20
v_cvt_i16_f16_e32 v10, v20
v_cvt_i32_f32_e32 v10, v20
v_cvt_i32_f64_e32 v10, v[20:21]
v_cvt_norm_i16_f16_e32 v10, v20
v_cvt_norm_u16_f16_e32 v10, v20
v_cvt_off_f32_i4_e32 v10, v20
v_cvt_pk_bf16_f32 v10, v20, v22
v_cvt_pk_bf8_f32 v10, v20, v22
v_cvt_pk_f16_f32 v10, v20, v22
v_cvt_pk_f32_bf8_e32 v[10:11], v20
v_cvt_pk_f32_fp8_e32 v[10:11], v20
v_cvt_pk_fp8_f32 v10, v20, v22
v_cvt_pk_i16_i32 v10, v20, v22
v_cvt_pk_u16_u32 v10, v20, v22
v_cvt_pk_u8_f32 v10, v20, v22, v24
v_cvt_pkaccum_u8_f32 v10, v20, v22
v_cvt_pknorm_i16_f16 v10, v20, v22
v_cvt_pknorm_i16_f32 v10, v20, v22
v_cvt_pknorm_u16_f16 v10, v20, v22
v_cvt_pknorm_u16_f32 v10, v20, v22
v_cvt_pkrtz_f16_f32 v10, v20, v22
v_cvt_rpi_i32_f32_e32 v10, v20
v_cvt_scalef32_2xpk16_bf6_f32 v[100:105], v[20:35], v[60:75], v96
v_cvt_scalef32_2xpk16_fp6_f32 v[100:105], v[20:35], v[60:75], v96
v_cvt_scalef32_f16_bf8 v10, v20, v22
v_cvt_scalef32_f16_fp8 v10, v20, v22
v_cvt_scalef32_f32_bf8 v10, v20, v22
v_cvt_scalef32_f32_fp8 v10, v20, v22
v_cvt_scalef32_pk32_bf16_bf6 v[100:115], v[20:25], v96
v_cvt_scalef32_pk32_bf16_fp6 v[100:115], v[20:25], v96
v_cvt_scalef32_pk32_bf6_bf16 v[100:105], v[20:35], v96
v_cvt_scalef32_pk32_bf6_f16 v[100:105], v[20:35], v96
v_cvt_scalef32_pk32_f16_bf6 v[100:115], v[20:25], v96
v_cvt_scalef32_pk32_f16_fp6 v[100:115], v[20:25], v96
v_cvt_scalef32_pk32_f32_bf6 v[100:131], v[20:25], v96
v_cvt_scalef32_pk32_f32_fp6 v[100:131], v[20:25], v96
v_cvt_scalef32_pk32_fp6_bf16 v[100:105], v[20:35], v96
v_cvt_scalef32_pk32_fp6_f16 v[100:105], v[20:35], v96
v_cvt_scalef32_pk_bf16_bf8 v10, v20, v22
v_cvt_scalef32_pk_bf16_fp4 v10, v20, v22
v_cvt_scalef32_pk_bf16_fp8 v10, v20, v22
v_cvt_scalef32_pk_bf8_bf16 v10, v20, v22
v_cvt_scalef32_pk_bf8_f16 v10, v20, v22
v_cvt_scalef32_pk_bf8_f32 v10, v20, v22, v24
v_cvt_scalef32_pk_f16_bf8 v10, v20, v22
v_cvt_scalef32_pk_f16_fp4 v10, v20, v22
v_cvt_scalef32_pk_f16_fp8 v10, v20, v22
v_cvt_scalef32_pk_f32_bf8 v[10:11], v20, v22
v_cvt_scalef32_pk_f32_fp4 v[10:11], v20, v22
v_cvt_scalef32_pk_f32_fp8 v[10:11], v20, v22
v_cvt_scalef32_pk_fp4_bf16 v10, v20, v22
v_cvt_scalef32_pk_fp4_f16 v10, v20, v22
v_cvt_scalef32_pk_fp4_f32 v10, v20, v22, v24
v_cvt_scalef32_pk_fp8_bf16 v10, v20, v22
v_cvt_scalef32_pk_fp8_f16 v10, v20, v22
v_cvt_scalef32_pk_fp8_f32 v10, v20, v22, v24
v_cvt_scalef32_sr_bf8_bf16 v10, v20, v22, v24
v_cvt_scalef32_sr_bf8_f16 v10, v20, v22, v24
v_cvt_scalef32_sr_bf8_f32 v10, v20, v22, v24
v_cvt_scalef32_sr_fp8_bf16 v10, v20, v22, v24
v_cvt_scalef32_sr_fp8_f16 v10, v20, v22, v24
v_cvt_scalef32_sr_fp8_f32 v10, v20, v22, v24
v_cvt_scalef32_sr_pk32_bf6_bf16 v[100:105], v[20:35], v60, v96
v_cvt_scalef32_sr_pk32_bf6_f16 v[100:105], v[20:35], v60, v96
v_cvt_scalef32_sr_pk32_bf6_f32 v[100:105], v[20:51], v60, v96
v_cvt_scalef32_sr_pk32_fp6_bf16 v[100:105], v[20:35], v60, v96
v_cvt_scalef32_sr_pk32_fp6_f16 v[100:105], v[20:35], v60, v96
v_cvt_scalef32_sr_pk32_fp6_f32 v[100:105], v[20:51], v60, v96
v_cvt_scalef32_sr_pk_fp4_bf16 v10, v20, v22, v24
v_cvt_scalef32_sr_pk_fp4_f16 v10, v20, v22, v24
v_cvt_scalef32_sr_pk_fp4_f32 v10, v[20:21], v22, v24
v_cvt_sr_bf16_f32 v10, v20, v22
v_cvt_sr_bf8_f32 v10, v20, v22
v_cvt_sr_f16_f32 v10, v20, v22
v_cvt_sr_fp8_f32 v10, v20, v22
v_cvt_u16_f16_e32 v10, v20
v_cvt_u32_f32_e32 v10, v20
v_cvt_u32_f64_e32 v10, v[20:21]
v_div_fixup_f16 v10, v20, v22, v24
v_div_fixup_f32 v10, v20, v22, v24
v_div_fixup_f64 v[10:11], v[20:21], v[22:23], v[24:25]
v_div_fixup_legacy_f16 v10, v20, v22, v24
v_div_fmas_f32 v10, v20, v22, v24
v_div_fmas_f64 v[10:11], v[20:21], v[22:23], v[24:25]
v_div_scale_f32 v10, vcc, v20, v22, v24
v_div_scale_f64 v[10:11], vcc, v[20:21], v[22:23], vcc
v_dot2_f32_bf16 v10, v20, v22, v24
v_dot2_f32_f16 v10, v20, v22, v24
v_dot2_i32_i16 v10, v20, v22, v24
v_dot2_u32_u16 v10, v20, v22, v24
v_dot2c_f32_bf16_e32 v10, v20, v22
v_dot2c_f32_f16_e32 v10, v20, v22
v_dot2c_i32_i16_e32 v10, v20, v22
v_dot4_i32_i8 v10, v20, v22, v24
v_dot4_u32_u8 v10, v20, v22, v24
v_dot4c_i32_i8_e32 v10, v20, v22
v_dot8_i32_i4 v10, v20, v22, v24
v_dot8_u32_u4 v10, v20, v22, v24
v_dot8c_i32_i4_e32 v10, v20, v22
v_exp_f16_e32 v10, v20
v_exp_f32_e32 v10, v20
v_exp_legacy_f32_e32 v10, v20
v_ffbh_i32_e32 v10, v20
v_ffbh_u32_e32 v10, v20
v_ffbl_b32_e32 v10, v20
v_floor_f16_e32 v10, v20
v_floor_f32_e32 v10, v20
v_floor_f64_e32 v[10:11], v[20:21]
v_fma_f16 v10, v20, v22, v24
v_fma_f32 v10, v20, v22, v24
v_fma_f64 v[10:11], v[20:21], v[22:23], v[24:25]
v_fma_legacy_f16 v10, v20, v22, v24
v_fma_mix_f32 v10, v20, v22, v24
v_fma_mixhi_f16 v10, v20, v22, v24
v_fma_mixlo_f16 v10, v20, v22, v24
v_fmaak_f32 v10, v20, v22, 0x12345678
v_fmac_f32_e32 v10, v20, v22
v_fmac_f64_e32 v[10:11], v[20:21], v[22:23]
v_fmamk_f32 v10, v20, 0x12345678, v22
v_fract_f16_e32 v10, v20
v_fract_f32_e32 v10, v20
v_fract_f64_e32 v[10:11], v[20:21]
v_frexp_exp_i16_f16_e32 v10, v20
v_frexp_exp_i32_f32_e32 v10, v20
v_frexp_exp_i32_f64_e32 v10, v[20:21]
v_frexp_mant_f16_e32 v10, v20
v_frexp_mant_f32_e32 v10, v20
v_frexp_mant_f64_e32 v[10:11], v[20:21]
v_ldexp_f16_e32 v10, v20, v22
v_ldexp_f32 v10, v20, v22
v_ldexp_f64 v[10:11], v[20:21], v22
v_lerp_u8 v10, v20, v22, v24
v_log_f16_e32 v10, v20
v_log_f32_e32 v10, v20
v_log_legacy_f32_e32 v10, v20
v_lshl_add_u32 v10, v20, v22, v24
v_lshl_add_u64 v[10:11], v[20:21], v22, v[24:25]
v_lshl_or_b32 v10, v20, v22, v24
v_lshlrev_b16_e32 v10, v20, v22
v_lshlrev_b32_e32 v10, v20, v22
v_lshlrev_b64 v[10:11], v20, v[22:23]
v_lshrrev_b16_e32 v10, v20, v22
v_lshrrev_b32_e32 v10, v20, v22
v_lshrrev_b64 v[10:11], v20, v[22:23]
v_mac_f16_e32 v10, v20, v22
v_mad_f16 v10, v20, v22, v24
v_mad_i16 v10, v20, v22, v24
v_mad_i32_i16 v10, v20, v22, v24
v_mad_i32_i24 v10, v20, v22, v24
v_mad_i64_i32 v[10:11], vcc, v20, v22, vcc
v_mad_legacy_f16 v10, v20, v22, v24
v_mad_legacy_i16 v10, v20, v22, v24
v_mad_legacy_u16 v10, v20, v22, v24
v_mad_u16 v10, v20, v22, v24
v_mad_u32_u16 v10, v20, v22, v24
v_mad_u32_u24 v10, v20, v22, v24
v_mad_u64_u32 v[10:11], vcc, v20, v22, vcc
v_madak_f16 v10, v20, v22, 0x1234
v_madmk_f16 v10, v20, 0x1234, v22
v_max3_f16 v10, v20, v22, v24
v_max3_f32 v10, v20, v22, v24
v_max3_i16 v10, v20, v22, v24
v_max3_i32 v10, v20, v22, v24
v_max3_u16 v10, v20, v22, v24
v_max3_u32 v10, v20, v22, v24
v_max_f16_e32 v10, v20, v22
v_max_f32_e32 v10, v20, v22
v_max_f64 v[10:11], v[20:21], v[22:23]
v_max_i16_e32 v10, v20, v22
v_max_i32_e32 v10, v20, v22
v_max_u16_e32 v10, v20, v22
v_max_u32_e32 v10, v20, v22
v_maximum3_f32 v10, v20, v22, v24
v_mbcnt_hi_u32_b32 v10, v20, v22
v_mbcnt_lo_u32_b32 v10, v20, v22
v_med3_f16 v10, v20, v22, v24
v_med3_f32 v10, v20, v22, v24
v_med3_i16 v10, v20, v22, v24
v_med3_i32 v10, v20, v22, v24
v_med3_u16 v10, v20, v22, v24
v_med3_u32 v10, v20, v22, v24
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[40:47], v[60:67], a[0:3]
v_mfma_f32_16x16x16_bf16 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_16x16x16_f16 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_16x16x1_4b_f32 a[0:15], v40, v60, a[0:15]
v_mfma_f32_16x16x32_bf16 a[0:3], v[40:43], v[60:63], a[0:3]
v_mfma_f32_16x16x32_bf8_bf8 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_16x16x32_bf8_fp8 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_16x16x32_f16 a[0:3], v[40:43], v[60:63], a[0:3]
v_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_16x16x4_4b_bf16 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_16x16x4_4b_f16 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_16x16x4_f32 a[0:3], v40, v60, a[0:3]
v_mfma_f32_32x32x16_bf16 a[0:15], v[40:43], v[60:63], a[0:15]
v_mfma_f32_32x32x16_bf8_bf8 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_32x32x16_f16 a[0:15], v[40:43], v[60:63], a[0:15]
v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_32x32x1_2b_f32 a[0:31], v40, v60, a[0:31]
v_mfma_f32_32x32x2_f32 a[0:15], v40, v60, a[0:15]
v_mfma_f32_32x32x4_2b_bf16 a[0:31], v[40:41], v[60:61], a[0:31]
v_mfma_f32_32x32x4_2b_f16 a[0:31], v[40:41], v[60:61], a[0:31]
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[40:47], v[60:67], a[0:15]
v_mfma_f32_32x32x8_bf16 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_32x32x8_f16 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_f32_4x4x1_16b_f32 a[0:3], v40, v60, a[0:3]
v_mfma_f32_4x4x4_16b_bf16 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f32_4x4x4_16b_f16 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_f64_16x16x4_f64 a[0:7], v[40:41], v[60:61], a[0:7]
v_mfma_f64_4x4x4_4b_f64 a[0:1], v[40:41], v[60:61], a[0:1]
v_mfma_i32_16x16x32_i8 a[0:3], v[40:41], v[60:61], a[0:3]
v_mfma_i32_16x16x4_4b_i8 a[0:15], v40, v60, a[0:15]
v_mfma_i32_16x16x64_i8 a[0:3], v[40:43], v[60:63], a[0:3]
v_mfma_i32_32x32x16_i8 a[0:15], v[40:41], v[60:61], a[0:15]
v_mfma_i32_32x32x32_i8 a[0:15], v[40:43], v[60:63], a[0:15]
v_mfma_i32_32x32x4_2b_i8 a[0:31], v40, v60, a[0:31]
v_mfma_i32_4x4x4_16b_i8 a[0:3], v40, v60, a[0:3]
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[40:47], v[60:67], a[0:3], v20, v22 op_sel_hi:[0,0,0]
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[40:47], v[60:67], a[0:15], v20, v22 op_sel_hi:[0,0,0]
v_min3_f16 v10, v20, v22, v24
v_min3_f32 v10, v20, v22, v24
v_min3_i16 v10, v20, v22, v24
v_min3_i32 v10, v20, v22, v24
v_min3_u16 v10, v20, v22, v24
v_min3_u32 v10, v20, v22, v24
v_min_f16_e32 v10, v20, v22
v_min_f32_e32 v10, v20, v22
v_min_f64 v[10:11], v[20:21], v[22:23]
v_min_i16_e32 v10, v20, v22
v_min_i32_e32 v10, v20, v22
v_min_u16_e32 v10, v20, v22
v_min_u32_e32 v10, v20, v22
v_minimum3_f32 v10, v20, v22, v24
v_mov_b32_e32 v10, v20
v_mov_b64_e32 v[10:11], v[20:21]
v_mqsad_pk_u16_u8 v[10:11], v[20:21], v22, v[24:25]
v_mqsad_u32_u8 v[100:103], v[20:21], v60, v[96:99]
v_msad_u8 v10, v20, v22, v24
v_mul_f16_e32 v10, v20, v22
v_mul_f32_e32 v10, v20, v22
v_mul_f64 v[10:11], v[20:21], v[22:23]
v_mul_hi_i32 v10, v20, v22
v_mul_hi_i32_i24_e32 v10, v20, v22
v_mul_hi_u32 v10, v20, v22
v_mul_hi_u32_u24_e32 v10, v20, v22
v_mul_i32_i24_e32 v10, v20, v22
v_mul_legacy_f32 v10, v20, v22
v_mul_lo_u16_e32 v10, v20, v22
v_mul_lo_u32 v10, v20, v22
v_mul_u32_u24_e32 v10, v20, v22
v_nop
v_not_b32_e32 v10, v20
v_or3_b32 v10, v20, v22, v24
v_or_b32_e32 v10, v20, v22
v_pack_b32_f16 v10, v20, v22
v_perm_b32 v10, v20, v22, v24
v_permlane16_swap_b32_e32 v10, v20
v_permlane32_swap_b32_e32 v10, v20
v_pk_add_f16 v10, v20, v22
v_pk_add_f32 v[10:11], v[20:21], v[22:23]
v_pk_add_i16 v10, v20, v22
v_pk_add_u16 v10, v20, v22
v_pk_ashrrev_i16 v10, v20, v22
v_pk_fma_f16 v10, v20, v22, v24
v_pk_fma_f32 v[10:11], v[20:21], v[22:23], v[24:25]
v_pk_fmac_f16_e32 v10, v20, v22
v_pk_lshlrev_b16 v10, v20, v22
v_pk_lshrrev_b16 v10, v20, v22
v_pk_mad_i16 v10, v20, v22, v24
v_pk_mad_u16 v10, v20, v22, v24
v_pk_max_f16 v10, v20, v22
v_pk_max_i16 v10, v20, v22
v_pk_max_u16 v10, v20, v22
v_pk_maximum3_f16 v10, v20, v22, v24
v_pk_min_f16 v10, v20, v22
v_pk_min_i16 v10, v20, v22
v_pk_min_u16 v10, v20, v22
v_pk_minimum3_f16 v10, v20, v22, v24
v_pk_mov_b32 v[10:11], v[20:21], v[22:23]
v_pk_mul_f16 v10, v20, v22
v_pk_mul_f32 v[10:11], v[20:21], v[22:23]
v_pk_mul_lo_u16 v10, v20, v22
v_pk_sub_i16 v10, v20, v22
v_pk_sub_u16 v10, v20, v22
v_prng_b32_e32 v10, v20
v_qsad_pk_u16_u8 v[10:11], v[20:21], v22, v[24:25]
v_rcp_f16_e32 v10, v20
v_rcp_f32_e32 v10, v20
v_rcp_f64_e32 v[10:11], v[20:21]
v_rcp_iflag_f32_e32 v10, v20
v_readfirstlane_b32 s20, v20
v_readlane_b32 s20, v20, s22
v_rndne_f16_e32 v10, v20
v_rndne_f32_e32 v10, v20
v_rndne_f64_e32 v[10:11], v[20:21]
v_rsq_f16_e32 v10, v20
v_rsq_f32_e32 v10, v20
v_rsq_f64_e32 v[10:11], v[20:21]
v_sad_hi_u8 v10, v20, v22, v24
v_sad_u16 v10, v20, v22, v24
v_sad_u32 v10, v20, v22, v24
v_sad_u8 v10, v20, v22, v24
v_sat_pk_u8_i16_e32 v10, v20
v_screen_partition_4se_b32_e32 v10, v20
v_sin_f16_e32 v10, v20
v_sin_f32_e32 v10, v20
v_smfmac_f32_16x16x128_bf8_bf8 a[0:3], v[40:43], v[60:67], v20
v_smfmac_f32_16x16x128_bf8_fp8 a[0:3], v[40:43], v[60:67], v20
v_smfmac_f32_16x16x128_fp8_bf8 a[0:3], v[40:43], v[60:67], v20
v_smfmac_f32_16x16x128_fp8_fp8 a[0:3], v[40:43], v[60:67], v20
v_smfmac_f32_16x16x32_bf16 a[0:3], v[40:41], v[60:63], v20
v_smfmac_f32_16x16x32_f16 a[0:3], v[40:41], v[60:63], v20
v_smfmac_f32_16x16x64_bf16 a[0:3], v[40:43], v[60:67], v20
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[40:41], v[60:63], v20
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[40:41], v[60:63], v20
v_smfmac_f32_16x16x64_f16 a[0:3], v[40:43], v[60:67], v20
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[40:41], v[60:63], v20
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x16_bf16 a[0:15], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x16_f16 a[0:15], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x32_bf16 a[0:15], v[40:43], v[60:67], v20
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x32_f16 a[0:15], v[40:43], v[60:67], v20
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[40:41], v[60:63], v20
v_smfmac_f32_32x32x64_bf8_bf8 a[0:15], v[40:43], v[60:67], v20
v_smfmac_f32_32x32x64_bf8_fp8 a[0:15], v[40:43], v[60:67], v20
v_smfmac_f32_32x32x64_fp8_bf8 a[0:15], v[40:43], v[60:67], v20
v_smfmac_f32_32x32x64_fp8_fp8 a[0:15], v[40:43], v[60:67], v20
v_smfmac_i32_16x16x128_i8 a[0:3], v[40:43], v[60:67], v20
v_smfmac_i32_16x16x64_i8 a[0:3], v[40:41], v[60:63], v20
v_smfmac_i32_32x32x32_i8 a[0:15], v[40:41], v[60:63], v20
v_smfmac_i32_32x32x64_i8 a[0:15], v[40:43], v[60:67], v20
v_sqrt_f16_e32 v10, v20
v_sqrt_f32_e32 v10, v20
v_sqrt_f64_e32 v[10:11], v[20:21]
v_sub_co_u32_e32 v10, vcc, v20, v22
v_sub_f16_e32 v10, v20, v22
v_sub_f32_e32 v10, v20, v22
v_sub_i16 v10, v20, v22
v_sub_i32 v10, v20, v22
v_sub_u16_e32 v10, v20, v22
v_sub_u32_e32 v10, v20, v22
v_subb_co_u32_e32 v10, vcc, v20, v22, vcc
v_subbrev_co_u32_e32 v10, vcc, v20, v22, vcc
v_subrev_co_u32_e32 v10, vcc, v20, v22
v_subrev_f16_e32 v10, v20, v22
v_subrev_f32_e32 v10, v20, v22
v_subrev_u16_e32 v10, v20, v22
v_subrev_u32_e32 v10, v20, v22
v_swap_b32 v10, v20
v_trig_preop_f64 v[10:11], v[20:21], v22
v_trunc_f16_e32 v10, v20
v_trunc_f32_e32 v10, v20
v_trunc_f64_e32 v[10:11], v[20:21]
v_writelane_b32 v10, s20, 3
v_xad_u32 v10, v20, v22, v24
v_xnor_b32_e32 v10, v20, v22
v_xor_b32_e32 v10, v20, v22
