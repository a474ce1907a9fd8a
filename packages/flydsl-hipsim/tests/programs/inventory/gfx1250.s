buffer_atomic_add_f32 v20, off, s[8:11], null
buffer_atomic_add_f64 v[20:21], off, s[8:11], null
buffer_atomic_add_u32 v20, off, s[8:11], null
buffer_atomic_add_u64 v[20:21], off, s[8:11], null
buffer_atomic_and_b32 v20, off, s[8:11], null
buffer_atomic_and_b64 v[20:21], off, s[8:11], null
buffer_atomic_cmpswap_b32 v[20:21], off, s[8:11], null
buffer_atomic_cmpswap_b64 v[20:23], off, s[8:11], null
buffer_atomic_cond_sub_u32 v20, off, s[8:11], null
buffer_atomic_dec_u32 v20, off, s[8:11], null
buffer_atomic_dec_u64 v[20:21], off, s[8:11], null
buffer_atomic_inc_u32 v20, off, s[8:11], null
buffer_atomic_inc_u64 v[20:21], off, s[8:11], null
buffer_atomic_max_i32 v20, off, s[8:11], null
buffer_atomic_max_i64 v[20:21], off, s[8:11], null
buffer_atomic_max_num_f32 v20, off, s[8:11], null
buffer_atomic_max_num_f64 v[20:21], off, s[8:11], null
buffer_atomic_max_u32 v20, off, s[8:11], null
buffer_atomic_max_u64 v[20:21], off, s[8:11], null
buffer_atomic_min_i32 v20, off, s[8:11], null
buffer_atomic_min_i64 v[20:21], off, s[8:11], null
buffer_atomic_min_num_f32 v20, off, s[8:11], null
buffer_atomic_min_num_f64 v[20:21], off, s[8:11], null
buffer_atomic_min_u32 v20, off, s[8:11], null
buffer_atomic_min_u64 v[20:21], off, s[8:11], null
buffer_atomic_or_b32 v20, off, s[8:11], null
buffer_atomic_or_b64 v[20:21], off, s[8:11], null
buffer_atomic_pk_add_bf16 v20, off, s[8:11], null
buffer_atomic_pk_add_f16 v20, off, s[8:11], null
buffer_atomic_sub_clamp_u32 v20, off, s[8:11], null
buffer_atomic_sub_u32 v20, off, s[8:11], null
buffer_atomic_sub_u64 v[20:21], off, s[8:11], null
buffer_atomic_swap_b32 v20, off, s[8:11], null
buffer_atomic_swap_b64 v[20:21], off, s[8:11], null
buffer_atomic_xor_b32 v20, off, s[8:11], null
buffer_atomic_xor_b64 v[20:21], off, s[8:11], null
buffer_load_b128 v[20:23], off, s[8:11], null
buffer_load_b32 v20, off, s[8:11], null
buffer_load_b64 v[20:21], off, s[8:11], null
buffer_load_b96 v[20:22], off, s[8:11], null
buffer_load_d16_b16 v20, off, s[8:11], null
buffer_load_d16_hi_b16 v20, off, s[8:11], null
buffer_load_d16_hi_i8 v20, off, s[8:11], null
buffer_load_d16_hi_u8 v20, off, s[8:11], null
buffer_load_d16_i8 v20, off, s[8:11], null
buffer_load_d16_u8 v20, off, s[8:11], null
buffer_load_i16 v20, off, s[8:11], null
buffer_load_i8 v20, off, s[8:11], null
buffer_load_u16 v20, off, s[8:11], null
buffer_load_u8 v20, off, s[8:11], null
buffer_store_b128 v[20:23], off, s[8:11], null
buffer_store_b16 v20, off, s[8:11], null
buffer_store_b32 v20, off, s[8:11], null
buffer_store_b64 v[20:21], off, s[8:11], null
buffer_store_b8 v20, off, s[8:11], null
buffer_store_b96 v[20:22], off, s[8:11], null
buffer_store_d16_hi_b16 v20, off, s[8:11], null
buffer_store_d16_hi_b8 v20, off, s[8:11], null
cluster_load_async_to_lds_b128 v1, v[20:21], off
cluster_load_async_to_lds_b32 v1, v[20:21], off
cluster_load_async_to_lds_b64 v1, v[20:21], off
cluster_load_async_to_lds_b8 v1, v[20:21], off
cluster_load_b128 v[10:13], v[2:3], off
cluster_load_b32 v1, v[20:21], off
cluster_load_b64 v[2:3], v[20:21], off
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
ds_atomic_async_barrier_arrive_b64 v1
ds_atomic_barrier_arrive_rtn_b64 v[10:11], v1, v[20:21]
ds_bpermute_b32 v1, v20, v22
ds_bpermute_fi_b32 v1, v20, v22
ds_cmpstore_b32 v1, v20, v22
ds_cmpstore_b64 v1, v[20:21], v[22:23]
ds_cmpstore_rtn_b32 v10, v1, v20, v22
ds_cmpstore_rtn_b64 v[10:11], v1, v[20:21], v[22:23]
ds_cond_sub_rtn_u32 v1, v20, v22
ds_cond_sub_u32 v10, v1
ds_condxchg32_rtn_b64 v[10:11], v1, v[20:21]
ds_consume v1
ds_dec_rtn_u32 v1, v20, v22
ds_dec_rtn_u64 v[10:11], v1, v[20:21]
ds_dec_u32 v10, v1
ds_dec_u64 v1, v[20:21]
ds_inc_rtn_u32 v1, v20, v22
ds_inc_rtn_u64 v[10:11], v1, v[20:21]
ds_inc_u32 v10, v1
ds_inc_u64 v1, v[20:21]
ds_load_2addr_b32 v[10:11], v1
ds_load_2addr_b64 v[10:13], v1
ds_load_2addr_stride64_b32 v[10:11], v1
ds_load_2addr_stride64_b64 v[10:13], v1
ds_load_addtid_b32 v1
ds_load_b128 v[10:13], v1
ds_load_b32 v10, v1
ds_load_b64 v[10:11], v1
ds_load_b96 v[10:12], v1
ds_load_i16 v10, v1
ds_load_i8 v10, v1
ds_load_i8_d16 v10, v1
ds_load_i8_d16_hi v10, v1
ds_load_tr16_b128 v[10:13], v1
ds_load_tr4_b64 v[10:11], v1
ds_load_tr6_b96 v[10:12], v1
ds_load_tr8_b64 v[10:11], v1
ds_load_u16 v10, v1
ds_load_u16_d16 v10, v1
ds_load_u16_d16_hi v10, v1
ds_load_u8 v10, v1
ds_load_u8_d16 v10, v1
ds_load_u8_d16_hi v10, v1
ds_max_i32 v10, v1
ds_max_i64 v1, v[20:21]
ds_max_num_f32 v10, v1
ds_max_num_f64 v1, v[20:21]
ds_max_num_rtn_f32 v1, v20, v22
ds_max_num_rtn_f64 v[10:11], v1, v[20:21]
ds_max_rtn_i32 v1, v20, v22
ds_max_rtn_i64 v[10:11], v1, v[20:21]
ds_max_rtn_u32 v1, v20, v22
ds_max_rtn_u64 v[10:11], v1, v[20:21]
ds_max_u32 v10, v1
ds_max_u64 v1, v[20:21]
ds_min_i32 v10, v1
ds_min_i64 v1, v[20:21]
ds_min_num_f32 v10, v1
ds_min_num_f64 v1, v[20:21]
ds_min_num_rtn_f32 v1, v20, v22
ds_min_num_rtn_f64 v[10:11], v1, v[20:21]
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
ds_rsub_rtn_u32 v1, v20, v22
ds_rsub_rtn_u64 v[10:11], v1, v[20:21]
ds_rsub_u32 v10, v1
ds_rsub_u64 v1, v[20:21]
ds_store_2addr_b32 v1, v20, v22
ds_store_2addr_b64 v1, v[20:21], v[22:23]
ds_store_2addr_stride64_b32 v1, v20, v22
ds_store_2addr_stride64_b64 v1, v[20:21], v[22:23]
ds_store_addtid_b32 v1
ds_store_b128 v1, v[40:43]
ds_store_b16 v10, v1
ds_store_b16_d16_hi v10, v1
ds_store_b32 v10, v1
ds_store_b64 v1, v[20:21]
ds_store_b8 v10, v1
ds_store_b8_d16_hi v10, v1
ds_store_b96 v1, v[20:22]
ds_storexchg_2addr_rtn_b32 v[10:11], v1, v20, v22
ds_storexchg_2addr_rtn_b64 v[10:13], v1, v[20:21], v[22:23]
ds_storexchg_2addr_stride64_rtn_b32 v[10:11], v1, v20, v22
ds_storexchg_2addr_stride64_rtn_b64 v[10:13], v1, v[20:21], v[22:23]
ds_storexchg_rtn_b32 v1, v20, v22
ds_storexchg_rtn_b64 v[10:11], v1, v[20:21]
ds_sub_clamp_rtn_u32 v1, v20, v22
ds_sub_clamp_u32 v10, v1
ds_sub_rtn_u32 v1, v20, v22
ds_sub_rtn_u64 v[10:11], v1, v[20:21]
ds_sub_u32 v10, v1
ds_sub_u64 v1, v[20:21]
ds_swizzle_b32 v10, v1
ds_xor_b32 v10, v1
ds_xor_b64 v1, v[20:21]
ds_xor_rtn_b32 v1, v20, v22
ds_xor_rtn_b64 v[10:11], v1, v[20:21]
flat_atomic_add_f32 v[2:3], v20
flat_atomic_add_f64 v[2:3], v[20:21]
flat_atomic_add_u32 v[2:3], v20
flat_atomic_add_u64 v[2:3], v[20:21]
flat_atomic_and_b32 v[2:3], v20
flat_atomic_and_b64 v[2:3], v[20:21]
flat_atomic_cmpswap_b32 v[2:3], v[20:21]
flat_atomic_cmpswap_b64 v[2:3], v[20:23]
flat_atomic_cond_sub_u32 v[2:3], v20
flat_atomic_dec_u32 v[2:3], v20
flat_atomic_dec_u64 v[2:3], v[20:21]
flat_atomic_inc_u32 v[2:3], v20
flat_atomic_inc_u64 v[2:3], v[20:21]
flat_atomic_max_i32 v[2:3], v20
flat_atomic_max_i64 v[2:3], v[20:21]
flat_atomic_max_num_f32 v[2:3], v20
flat_atomic_max_num_f64 v[2:3], v[20:21]
flat_atomic_max_u32 v[2:3], v20
flat_atomic_max_u64 v[2:3], v[20:21]
flat_atomic_min_i32 v[2:3], v20
flat_atomic_min_i64 v[2:3], v[20:21]
flat_atomic_min_num_f32 v[2:3], v20
flat_atomic_min_num_f64 v[2:3], v[20:21]
flat_atomic_min_u32 v[2:3], v20
flat_atomic_min_u64 v[2:3], v[20:21]
flat_atomic_or_b32 v[2:3], v20
flat_atomic_or_b64 v[2:3], v[20:21]
flat_atomic_pk_add_bf16 v[2:3], v20
flat_atomic_pk_add_f16 v[2:3], v20
flat_atomic_sub_clamp_u32 v[2:3], v20
flat_atomic_sub_u32 v[2:3], v20
flat_atomic_sub_u64 v[2:3], v[20:21]
flat_atomic_swap_b32 v[2:3], v20
flat_atomic_swap_b64 v[2:3], v[20:21]
flat_atomic_xor_b32 v[2:3], v20
flat_atomic_xor_b64 v[2:3], v[20:21]
flat_load_b128 v[10:13], v[2:3]
flat_load_b32 v1, v[20:21]
flat_load_b64 v[2:3], v[20:21]
flat_load_b96 v[10:12], v[2:3]
flat_load_d16_b16 v1, v[20:21]
flat_load_d16_hi_b16 v1, v[20:21]
flat_load_d16_hi_i8 v1, v[20:21]
flat_load_d16_hi_u8 v1, v[20:21]
flat_load_d16_i8 v1, v[20:21]
flat_load_d16_u8 v1, v[20:21]
flat_load_i16 v1, v[20:21]
flat_load_i8 v1, v[20:21]
flat_load_monitor_b128 v[10:13], v[2:3]
flat_load_monitor_b32 v1, v[20:21]
flat_load_monitor_b64 v[2:3], v[20:21]
flat_load_u16 v1, v[20:21]
flat_load_u8 v1, v[20:21]
flat_prefetch_b8 v10, s[4:5]
flat_store_b128 v[2:3], v[20:23]
flat_store_b16 v[2:3], v20
flat_store_b32 v[2:3], v20
flat_store_b64 v[2:3], v[20:21]
flat_store_b8 v[2:3], v20
flat_store_b96 v[2:3], v[20:22]
flat_store_d16_hi_b16 v[2:3], v20
flat_store_d16_hi_b8 v[2:3], v20
global_atomic_add_f32 v[2:3], v20, off
global_atomic_add_f64 v[2:3], v[20:21], off
global_atomic_add_u32 v[2:3], v20, off
global_atomic_add_u64 v[2:3], v[20:21], off
global_atomic_and_b32 v[2:3], v20, off
global_atomic_and_b64 v[2:3], v[20:21], off
global_atomic_cmpswap_b32 v[2:3], v[20:21], off
global_atomic_cmpswap_b64 v[2:3], v[20:23], off
global_atomic_cond_sub_u32 v[2:3], v20, off
global_atomic_dec_u32 v[2:3], v20, off
global_atomic_dec_u64 v[2:3], v[20:21], off
global_atomic_inc_u32 v[2:3], v20, off
global_atomic_inc_u64 v[2:3], v[20:21], off
global_atomic_max_i32 v[2:3], v20, off
global_atomic_max_i64 v[2:3], v[20:21], off
global_atomic_max_num_f32 v[2:3], v20, off
global_atomic_max_num_f64 v[2:3], v[20:21], off
global_atomic_max_u32 v[2:3], v20, off
global_atomic_max_u64 v[2:3], v[20:21], off
global_atomic_min_i32 v[2:3], v20, off
global_atomic_min_i64 v[2:3], v[20:21], off
global_atomic_min_num_f32 v[2:3], v20, off
global_atomic_min_num_f64 v[2:3], v[20:21], off
global_atomic_min_u32 v[2:3], v20, off
global_atomic_min_u64 v[2:3], v[20:21], off
global_atomic_or_b32 v[2:3], v20, off
global_atomic_or_b64 v[2:3], v[20:21], off
global_atomic_pk_add_bf16 v[2:3], v20, off
global_atomic_pk_add_f16 v[2:3], v20, off
global_atomic_sub_clamp_u32 v[2:3], v20, off
global_atomic_sub_u32 v[2:3], v20, off
global_atomic_sub_u64 v[2:3], v[20:21], off
global_atomic_swap_b32 v[2:3], v20, off
global_atomic_swap_b64 v[2:3], v[20:21], off
global_atomic_xor_b32 v[2:3], v20, off
global_atomic_xor_b64 v[2:3], v[20:21], off
global_inv
global_load_addtid_b32 v10, s[8:9]
global_load_async_to_lds_b128 v1, v[20:21], off
global_load_async_to_lds_b32 v1, v[20:21], off
global_load_async_to_lds_b64 v1, v[20:21], off
global_load_async_to_lds_b8 v1, v[20:21], off
global_load_b128 v[10:13], v[2:3], off
global_load_b32 v1, v[20:21], off
global_load_b64 v[2:3], v[20:21], off
global_load_b96 v[10:12], v[2:3], off
global_load_block v[10:41], v[2:3], off
global_load_d16_b16 v1, v[20:21], off
global_load_d16_hi_b16 v1, v[20:21], off
global_load_d16_hi_i8 v1, v[20:21], off
global_load_d16_hi_u8 v1, v[20:21], off
global_load_d16_i8 v1, v[20:21], off
global_load_d16_u8 v1, v[20:21], off
global_load_i16 v1, v[20:21], off
global_load_i8 v1, v[20:21], off
global_load_monitor_b128 v[10:13], v[2:3], off
global_load_monitor_b32 v1, v[20:21], off
global_load_monitor_b64 v[2:3], v[20:21], off
global_load_tr16_b128 v[10:13], v[2:3], off
global_load_tr4_b64 v[2:3], v[20:21], off
global_load_tr6_b96 v[10:12], v[2:3], off
global_load_tr8_b64 v[2:3], v[20:21], off
global_load_u16 v1, v[20:21], off
global_load_u8 v1, v[20:21], off
global_prefetch_b8 v[2:3], off
global_store_addtid_b32 v10, s[8:9]
global_store_async_from_lds_b128 v[2:3], v1, off
global_store_async_from_lds_b32 v[2:3], v1, off
global_store_async_from_lds_b64 v[2:3], v1, off
global_store_async_from_lds_b8 v[2:3], v1, off
global_store_b128 v[2:3], v[20:23], off
global_store_b16 v[2:3], v20, off
global_store_b32 v[2:3], v20, off
global_store_b64 v[2:3], v[20:21], off
global_store_b8 v[2:3], v20, off
global_store_b96 v[2:3], v[20:22], off
global_store_block v[2:3], v[20:51], off
global_store_d16_hi_b16 v[2:3], v20, off
global_store_d16_hi_b8 v[2:3], v20, off
global_wb
global_wbinv
s_abs_i32 null, 0
s_absdiff_i32 s20, s22, s24
s_add_co_ci_u32 s20, s22, s24
s_add_co_i32 s20, s22, s24
s_add_co_u32 s20, s22, s24
s_add_f16 s20, s22, s24
s_add_f32 s20, s22, s24
s_add_nc_u64 s[20:21], s[22:23], s[24:25]
s_add_pc_i64 0
s_addk_co_i32 null, 0x0
s_alloc_vgpr 0
s_and_b32 s20, s22, s24
s_and_b64 s[20:21], s[22:23], s[24:25]
s_and_not0_saveexec_b32 null, 0
s_and_not0_saveexec_b64 null, 0
s_and_not0_wrexec_b32 null, 0
s_and_not0_wrexec_b64 null, 0
s_and_not1_b32 s20, s22, s24
s_and_not1_b64 s[20:21], s[22:23], s[24:25]
s_and_not1_saveexec_b32 null, 0
s_and_not1_saveexec_b64 null, 0
s_and_not1_wrexec_b32 null, 0
s_and_not1_wrexec_b64 null, 0
s_and_saveexec_b32 null, 0
s_and_saveexec_b64 null, 0
s_ashr_i32 s20, s22, s24
s_ashr_i64 s[20:21], s[22:23], s24
s_atc_probe 3, s[4:5], 0x0
s_atc_probe_buffer 3, s[8:11], 0x0
s_barrier_init 1
s_barrier_join 1
s_barrier_leave
s_barrier_signal -1
s_barrier_signal_isfirst -1
s_barrier_wait -1
s_bcnt0_i32_b32 null, 0
s_bcnt0_i32_b64 null, 0
s_bcnt1_i32_b32 null, 0
s_bcnt1_i32_b64 null, 0
s_bfe_i32 s20, s22, s24
s_bfe_i64 s[20:21], s[22:23], s24
s_bfe_u32 s20, s22, s24
s_bfe_u64 s[20:21], s[22:23], s24
s_bfm_b32 s20, s22, s24
s_bfm_b64 s[20:21], s22, s24
s_bitcmp0_b32 null, 0
s_bitcmp0_b64 null, 0
s_bitcmp1_b32 null, 0
s_bitcmp1_b64 null, 0
s_bitreplicate_b64_b32 null, 0
s_bitset0_b32 null, 0
s_bitset0_b64 null, 0
s_bitset1_b32 null, 0
s_bitset1_b64 null, 0
s_branch L
s_brev_b32 null, 0
s_brev_b64 null, 0
s_buffer_load_b128 s[32:35], s[8:11], 0x0
s_buffer_load_b256 s[32:39], s[8:11], 0x0
s_buffer_load_b32 s32, s[8:11], 0x0
s_buffer_load_b512 s[32:47], s[8:11], 0x0
s_buffer_load_b64 s[32:33], s[8:11], 0x0
s_buffer_load_b96 s[32:34], s[8:11], 0x0
s_buffer_load_i16 s32, s[8:11], 0x0
s_buffer_load_i8 s32, s[8:11], 0x0
s_buffer_load_u16 s32, s[8:11], 0x0
s_buffer_load_u8 s32, s[8:11], 0x0
s_buffer_prefetch_data s[8:11], 0x10, s20, 0
s_call_i64 null, L
s_cbranch_execnz L
s_cbranch_execz L
s_cbranch_scc0 L
s_cbranch_scc1 L
s_cbranch_vccnz L
s_cbranch_vccz L
s_ceil_f16 null, 0
s_ceil_f32 null, 0
s_clause 0x0
s_cls_i32 null, 0
s_cls_i32_i64 null, 0
s_clz_i32_u32 null, 0
s_clz_i32_u64 null, 0
s_cmov_b32 null, 0
s_cmov_b64 null, 0
s_cmovk_i32 null, 0x0
s_cmp_eq_f16 null, 0
s_cmp_eq_f32 null, 0
s_cmp_eq_i32 null, 0
s_cmp_eq_u32 null, 0
s_cmp_eq_u64 null, 0
s_cmp_ge_f16 null, 0
s_cmp_ge_f32 null, 0
s_cmp_ge_i32 null, 0
s_cmp_ge_u32 null, 0
s_cmp_gt_f16 null, 0
s_cmp_gt_f32 null, 0
s_cmp_gt_i32 null, 0
s_cmp_gt_u32 null, 0
s_cmp_le_f16 null, 0
s_cmp_le_f32 null, 0
s_cmp_le_i32 null, 0
s_cmp_le_u32 null, 0
s_cmp_lg_f16 null, 0
s_cmp_lg_f32 null, 0
s_cmp_lg_i32 null, 0
s_cmp_lg_u32 null, 0
s_cmp_lg_u64 null, 0
s_cmp_lt_f16 null, 0
s_cmp_lt_f32 null, 0
s_cmp_lt_i32 null, 0
s_cmp_lt_u32 null, 0
s_cmp_neq_f16 null, 0
s_cmp_neq_f32 null, 0
s_cmp_nge_f16 null, 0
s_cmp_nge_f32 null, 0
s_cmp_ngt_f16 null, 0
s_cmp_ngt_f32 null, 0
s_cmp_nle_f16 null, 0
s_cmp_nle_f32 null, 0
s_cmp_nlg_f16 null, 0
s_cmp_nlg_f32 null, 0
s_cmp_nlt_f16 null, 0
s_cmp_nlt_f32 null, 0
s_cmp_o_f16 null, 0
s_cmp_o_f32 null, 0
s_cmp_u_f16 null, 0
s_cmp_u_f32 null, 0
s_code_end
s_cselect_b32 s20, s22, s24
s_cselect_b64 s[20:21], s[22:23], s[24:25]
s_ctz_i32_b32 null, 0
s_ctz_i32_b64 null, 0
s_cvt_f16_f32 null, 0
s_cvt_f32_f16 null, 0
s_cvt_f32_i32 null, 0
s_cvt_f32_u32 null, 0
s_cvt_hi_f32_f16 null, 0
s_cvt_i32_f32 null, 0
s_cvt_pk_rtz_f16_f32 s20, s22, s24
s_cvt_u32_f32 null, 0
s_dcache_inv
s_decperflevel 0
s_delay_alu 0
s_denorm_mode 0
s_endpgm
s_endpgm_saved
s_floor_f16 null, 0
s_floor_f32 null, 0
s_fmaak_f32 s20, s22, s24, 0x12345678
s_fmac_f16 s20, s22, s24
s_fmac_f32 s20, s22, s24
s_fmamk_f32 s20, s22, 0x12345678, s24
s_get_barrier_state s20, -1
s_get_pc_i64 s[20:21]
s_get_shader_cycles_u64 s[20:21]
s_getreg_b32 null, hwreg(0, 0, 1)
s_icache_inv
s_incperflevel 0
s_load_b128 s[32:35], s[4:5], 0x0
s_load_b256 s[32:39], s[4:5], 0x0
s_load_b32 s20, s[22:23], 0x0
s_load_b512 s[32:47], s[4:5], 0x0
s_load_b64 s[20:21], s[22:23], 0x0
s_load_b96 s[32:34], s[4:5], 0x0
s_load_i16 s20, s[22:23], 0x0
s_load_i8 s20, s[22:23], 0x0
s_load_u16 s20, s[22:23], 0x0
s_load_u8 s20, s[22:23], 0x0
s_lshl1_add_u32 s20, s22, s24
s_lshl2_add_u32 s20, s22, s24
s_lshl3_add_u32 s20, s22, s24
s_lshl4_add_u32 s20, s22, s24
s_lshl_b32 s20, s22, s24
s_lshl_b64 s[20:21], s[22:23], s24
s_lshr_b32 s20, s22, s24
s_lshr_b64 s[20:21], s[22:23], s24
s_max_i32 s20, s22, s24
s_max_num_f16 s20, s22, s24
s_max_num_f32 s20, s22, s24
s_max_u32 s20, s22, s24
s_maximum_f16 s20, s22, s24
s_maximum_f32 s20, s22, s24
s_min_i32 s20, s22, s24
s_min_num_f16 s20, s22, s24
s_min_num_f32 s20, s22, s24
s_min_u32 s20, s22, s24
s_minimum_f16 s20, s22, s24
s_minimum_f32 s20, s22, s24
s_monitor_sleep 0
s_mov_b32 null, 0
s_mov_b64 null, 0
s_movk_i32 null, 0x0
s_movreld_b32 s20, s22
s_movreld_b64 s[20:21], s[22:23]
s_movrels_b32 s20, s22
s_movrels_b64 s[20:21], s[22:23]
s_movrelsd_2_b32 s20, s22
s_mul_f16 s20, s22, s24
s_mul_f32 s20, s22, s24
s_mul_hi_i32 s20, s22, s24
s_mul_hi_u32 s20, s22, s24
s_mul_i32 s20, s22, s24
s_mul_u64 s[20:21], s[22:23], s[24:25]
s_mulk_i32 null, 0x0
s_nand_b32 s20, s22, s24
s_nand_b64 s[20:21], s[22:23], s[24:25]
s_nand_saveexec_b32 null, 0
s_nand_saveexec_b64 null, 0
s_nop 0
s_nor_b32 s20, s22, s24
s_nor_b64 s[20:21], s[22:23], s[24:25]
s_nor_saveexec_b32 null, 0
s_nor_saveexec_b64 null, 0
s_not_b32 null, 0
s_not_b64 null, 0
s_or_b32 s20, s22, s24
s_or_b64 s[20:21], s[22:23], s[24:25]
s_or_not0_saveexec_b32 null, 0
s_or_not0_saveexec_b64 null, 0
s_or_not1_b32 s20, s22, s24
s_or_not1_b64 s[20:21], s[22:23], s[24:25]
s_or_not1_saveexec_b32 null, 0
s_or_not1_saveexec_b64 null, 0
s_or_saveexec_b32 null, 0
s_or_saveexec_b64 null, 0
s_pack_hh_b32_b16 s20, s22, s24
s_pack_hl_b32_b16 s20, s22, s24
s_pack_lh_b32_b16 s20, s22, s24
s_pack_ll_b32_b16 s20, s22, s24
s_prefetch_data s[4:5], 0x10, s20, 0
s_prefetch_data_pc_rel 0x0, null, 0
s_prefetch_inst s[4:5], 0x10, s20, 0
s_prefetch_inst_pc_rel 0x0, null, 0
s_quadmask_b32 null, 0
s_quadmask_b64 null, 0
s_rfe_i64 s[20:21]
s_rndne_f16 null, 0
s_rndne_f32 null, 0
s_round_mode 0x0
s_sendmsg sendmsg(0, 0, 0)
s_sendmsg_rtn_b32 null, sendmsg(0, 0, 0)
s_sendmsg_rtn_b64 null, sendmsg(0, 0, 0)
s_sendmsghalt sendmsg(0, 0, 0)
s_set_pc_i64 s[20:21]
s_set_vgpr_msb 0
s_sethalt 0
s_setprio 0
s_setprio_inc_wg 0
s_setreg_b32 hwreg(HW_REG_WAVE_MODE), s20
s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE), 0xf0
s_sext_i32_i16 null, 0
s_sext_i32_i8 null, 0
s_sleep 0
s_sleep_var 0
s_sub_co_ci_u32 s20, s22, s24
s_sub_co_i32 s20, s22, s24
s_sub_co_u32 s20, s22, s24
s_sub_f16 s20, s22, s24
s_sub_f32 s20, s22, s24
s_sub_nc_u64 s[20:21], s[22:23], s[24:25]
s_swap_pc_i64 null, 0
s_trap 0
s_trunc_f16 null, 0
s_trunc_f32 null, 0
s_ttracedata
s_ttracedata_imm 0x0
s_version UC_VERSION_GFX7
s_wait_alu depctr_hold_cnt(0) depctr_sa_sdst(0) depctr_va_vdst(0) depctr_va_sdst(0) depctr_va_ssrc(0) depctr_va_vcc(0) depctr_vm_vsrc(0)
s_wait_asynccnt 0x0
s_wait_dscnt 0x0
s_wait_idle
s_wait_kmcnt 0x0
s_wait_loadcnt 0x0
s_wait_loadcnt_dscnt 0x0
s_wait_storecnt 0x0
s_wait_storecnt_dscnt 0x0
s_wait_tensorcnt 0x0
s_wait_xcnt 0x0
s_wakeup
s_wakeup_barrier 1
s_wqm_b32 null, 0
s_wqm_b64 null, 0
s_xnor_b32 s20, s22, s24
s_xnor_b64 s[20:21], s[22:23], s[24:25]
s_xnor_saveexec_b32 null, 0
s_xnor_saveexec_b64 null, 0
s_xor_b32 s20, s22, s24
s_xor_b64 s[20:21], s[22:23], s[24:25]
s_xor_saveexec_b32 null, 0
s_xor_saveexec_b64 null, 0
scratch_load_b128 v[10:13], v1, off
scratch_load_b32 v1, v20, off
scratch_load_b64 v[2:3], v20, off
scratch_load_b96 v[10:12], v1, off
scratch_load_block v[10:41], v1, off
scratch_load_d16_b16 v1, v20, off
scratch_load_d16_hi_b16 v1, v20, off
scratch_load_d16_hi_i8 v1, v20, off
scratch_load_d16_hi_u8 v1, v20, off
scratch_load_d16_i8 v1, v20, off
scratch_load_d16_u8 v1, v20, off
scratch_load_i16 v1, v20, off
scratch_load_i8 v1, v20, off
scratch_load_u16 v1, v20, off
scratch_load_u8 v1, v20, off
scratch_store_b128 v1, v[20:23], off
scratch_store_b16 v1, v20, off
scratch_store_b32 v1, v20, off
scratch_store_b64 v1, v[20:21], off
scratch_store_b8 v1, v20, off
scratch_store_b96 v1, v[20:22], off
scratch_store_block v1, v[20:51], off
scratch_store_d16_hi_b16 v1, v20, off
scratch_store_d16_hi_b8 v1, v20, off
tensor_load_to_lds s[20:23], s[24:31]
tensor_save s[4:5]
tensor_stop
tensor_store_from_lds s[20:23], s[24:31]
v_add3_u32 v10, v20, v22, v24
v_add_co_ci_u32_e32 v10, vcc_lo, v20, v22, vcc_lo
v_add_co_u32 v10, s20, v22, v24
v_add_f16_e32 v10.l, v20.l, v22.l
v_add_f32_e32 v10, v20, v22
v_add_f64_e32 v[10:11], v[20:21], v[22:23]
v_add_lshl_u32 v10, v20, v22, v24
v_add_max_i32 v10, v20, v22, v24
v_add_max_u32 v10, v20, v22, v24
v_add_min_i32 v10, v20, v22, v24
v_add_min_u32 v10, v20, v22, v24
v_add_nc_i16 v10.l, v20.l, v22.l
v_add_nc_i32 v10, v20, v22
v_add_nc_u16 v10.l, v20.l, v22.l
v_add_nc_u32_e32 v10, v20, v22
v_add_nc_u64_e32 v[10:11], v[20:21], v[22:23]
v_alignbit_b32 v10, v20, v22, v24.l
v_alignbyte_b32 v10, v20, v22, v24.l
v_and_b16 v10.l, v20.l, v22.l
v_and_b32_e32 v10, v20, v22
v_and_or_b32 v10, v20, v22, v24
v_ashr_pk_i8_i32 v10, v20, v22, v24
v_ashr_pk_u8_i32 v10, v20, v22, v24
v_ashrrev_i16 v10.l, v20.l, v22.l
v_ashrrev_i32_e32 v10, v20, v22
v_ashrrev_i64 v[10:11], v20, v[22:23]
v_bcnt_u32_b32 v10, v20, v22
v_bfe_i32 v10, v20, v22, v24
v_bfe_u32 v10, v20, v22, v24
v_bfi_b32 v10, v20, v22, v24
v_bfm_b32 v10, v20, v22
v_bfrev_b32_e32 v10, v20
v_bitop3_b16 v10.l, v20.l, v22.l, v24.l
v_bitop3_b32 v10, v20, v22, v24
v_ceil_f16_e32 v10.l, v20.l
v_ceil_f32_e32 v10, v20
v_ceil_f64_e32 v[10:11], v[20:21]
v_cls_i32_e32 v10, v20
v_clz_i32_u32_e32 v10, v20
v_cmp_class_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_class_f32_e32 vcc_lo, v10, v20
v_cmp_class_f64_e32 vcc_lo, v[10:11], v20
v_cmp_eq_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_eq_f32_e32 vcc_lo, v10, v20
v_cmp_eq_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_eq_i16_e32 vcc_lo, v10.l, v20.l
v_cmp_eq_i32_e32 vcc_lo, v10, v20
v_cmp_eq_i64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_eq_u16_e32 vcc_lo, v10.l, v20.l
v_cmp_eq_u32_e32 vcc_lo, v10, v20
v_cmp_eq_u64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_ge_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_ge_f32_e32 vcc_lo, v10, v20
v_cmp_ge_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_ge_i16_e32 vcc_lo, v10.l, v20.l
v_cmp_ge_i32_e32 vcc_lo, v10, v20
v_cmp_ge_i64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_ge_u16_e32 vcc_lo, v10.l, v20.l
v_cmp_ge_u32_e32 vcc_lo, v10, v20
v_cmp_ge_u64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_gt_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_gt_f32_e32 vcc_lo, v10, v20
v_cmp_gt_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_gt_i16_e32 vcc_lo, v10.l, v20.l
v_cmp_gt_i32_e32 vcc_lo, v10, v20
v_cmp_gt_i64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_gt_u16_e32 vcc_lo, v10.l, v20.l
v_cmp_gt_u32_e32 vcc_lo, v10, v20
v_cmp_gt_u64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_le_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_le_f32_e32 vcc_lo, v10, v20
v_cmp_le_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_le_i16_e32 vcc_lo, v10.l, v20.l
v_cmp_le_i32_e32 vcc_lo, v10, v20
v_cmp_le_i64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_le_u16_e32 vcc_lo, v10.l, v20.l
v_cmp_le_u32_e32 vcc_lo, v10, v20
v_cmp_le_u64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_lg_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_lg_f32_e32 vcc_lo, v10, v20
v_cmp_lg_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_lt_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_lt_f32_e32 vcc_lo, v10, v20
v_cmp_lt_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_lt_i16_e32 vcc_lo, v10.l, v20.l
v_cmp_lt_i32_e32 vcc_lo, v10, v20
v_cmp_lt_i64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_lt_u16_e32 vcc_lo, v10.l, v20.l
v_cmp_lt_u32_e32 vcc_lo, v10, v20
v_cmp_lt_u64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_ne_i16_e32 vcc_lo, v10.l, v20.l
v_cmp_ne_i32_e32 vcc_lo, v10, v20
v_cmp_ne_i64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_ne_u16_e32 vcc_lo, v10.l, v20.l
v_cmp_ne_u32_e32 vcc_lo, v10, v20
v_cmp_ne_u64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_neq_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_neq_f32_e32 vcc_lo, v10, v20
v_cmp_neq_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_nge_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_nge_f32_e32 vcc_lo, v10, v20
v_cmp_nge_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_ngt_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_ngt_f32_e32 vcc_lo, v10, v20
v_cmp_ngt_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_nle_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_nle_f32_e32 vcc_lo, v10, v20
v_cmp_nle_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_nlg_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_nlg_f32_e32 vcc_lo, v10, v20
v_cmp_nlg_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_nlt_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_nlt_f32_e32 vcc_lo, v10, v20
v_cmp_nlt_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_o_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_o_f32_e32 vcc_lo, v10, v20
v_cmp_o_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmp_u_f16_e32 vcc_lo, v10.l, v20.l
v_cmp_u_f32_e32 vcc_lo, v10, v20
v_cmp_u_f64_e32 vcc_lo, v[10:11], v[20:21]
v_cmpx_class_f16_e32 v10.l, v20.l
v_cmpx_class_f32_e32 v10, v20
v_cmpx_class_f64_e32 v[10:11], v20
v_cmpx_eq_f16_e32 v10.l, v20.l
v_cmpx_eq_f32_e32 v10, v20
v_cmpx_eq_f64_e32 v[10:11], v[20:21]
v_cmpx_eq_i16_e32 v10.l, v20.l
v_cmpx_eq_i32_e32 v10, v20
v_cmpx_eq_i64_e32 v[10:11], v[20:21]
v_cmpx_eq_u16_e32 v10.l, v20.l
v_cmpx_eq_u32_e32 v10, v20
v_cmpx_eq_u64_e32 v[10:11], v[20:21]
v_cmpx_ge_f16_e32 v10.l, v20.l
v_cmpx_ge_f32_e32 v10, v20
v_cmpx_ge_f64_e32 v[10:11], v[20:21]
v_cmpx_ge_i16_e32 v10.l, v20.l
v_cmpx_ge_i32_e32 v10, v20
v_cmpx_ge_i64_e32 v[10:11], v[20:21]
v_cmpx_ge_u16_e32 v10.l, v20.l
v_cmpx_ge_u32_e32 v10, v20
v_cmpx_ge_u64_e32 v[10:11], v[20:21]
v_cmpx_gt_f16_e32 v10.l, v20.l
v_cmpx_gt_f32_e32 v10, v20
v_cmpx_gt_f64_e32 v[10:11], v[20:21]
v_cmpx_gt_i16_e32 v10.l, v20.l
v_cmpx_gt_i32_e32 v10, v20
v_cmpx_gt_i64_e32 v[10:11], v[20:21]
v_cmpx_gt_u16_e32 v10.l, v20.l
v_cmpx_gt_u32_e32 v10, v20
v_cmpx_gt_u64_e32 v[10:11], v[20:21]
v_cmpx_le_f16_e32 v10.l, v20.l
v_cmpx_le_f32_e32 v10, v20
v_cmpx_le_f64_e32 v[10:11], v[20:21]
v_cmpx_le_i16_e32 v10.l, v20.l
v_cmpx_le_i32_e32 v10, v20
v_cmpx_le_i64_e32 v[10:11], v[20:21]
v_cmpx_le_u16_e32 v10.l, v20.l
v_cmpx_le_u32_e32 v10, v20
v_cmpx_le_u64_e32 v[10:11], v[20:21]
v_cmpx_lg_f16_e32 v10.l, v20.l
v_cmpx_lg_f32_e32 v10, v20
v_cmpx_lg_f64_e32 v[10:11], v[20:21]
v_cmpx_lt_f16_e32 v10.l, v20.l
v_cmpx_lt_f32_e32 v10, v20
v_cmpx_lt_f64_e32 v[10:11], v[20:21]
v_cmpx_lt_i16_e32 v10.l, v20.l
v_cmpx_lt_i32_e32 v10, v20
v_cmpx_lt_i64_e32 v[10:11], v[20:21]
v_cmpx_lt_u16_e32 v10.l, v20.l
v_cmpx_lt_u32_e32 v10, v20
v_cmpx_lt_u64_e32 v[10:11], v[20:21]
v_cmpx_ne_i16_e32 v10.l, v20.l
v_cmpx_ne_i32_e32 v10, v20
v_cmpx_ne_i64_e32 v[10:11], v[20:21]
v_cmpx_ne_u16_e32 v10.l, v20.l
v_cmpx_ne_u32_e32 v10, v20
v_cmpx_ne_u64_e32 v[10:11], v[20:21]
v_cmpx_neq_f16_e32 v10.l, v20.l
v_cmpx_neq_f32_e32 v10, v20
v_cmpx_neq_f64_e32 v[10:11], v[20:21]
v_cmpx_nge_f16_e32 v10.l, v20.l
v_cmpx_nge_f32_e32 v10, v20
v_cmpx_nge_f64_e32 v[10:11], v[20:21]
v_cmpx_ngt_f16_e32 v10.l, v20.l
v_cmpx_ngt_f32_e32 v10, v20
v_cmpx_ngt_f64_e32 v[10:11], v[20:21]
v_cmpx_nle_f16_e32 v10.l, v20.l
v_cmpx_nle_f32_e32 v10, v20
v_cmpx_nle_f64_e32 v[10:11], v[20:21]
v_cmpx_nlg_f16_e32 v10.l, v20.l
v_cmpx_nlg_f32_e32 v10, v20
v_cmpx_nlg_f64_e32 v[10:11], v[20:21]
v_cmpx_nlt_f16_e32 v10.l, v20.l
v_cmpx_nlt_f32_e32 v10, v20
v_cmpx_nlt_f64_e32 v[10:11], v[20:21]
v_cmpx_o_f16_e32 v10.l, v20.l
v_cmpx_o_f32_e32 v10, v20
v_cmpx_o_f64_e32 v[10:11], v[20:21]
v_cmpx_u_f16_e32 v10.l, v20.l
v_cmpx_u_f32_e32 v10, v20
v_cmpx_u_f64_e32 v[10:11], v[20:21]
v_cndmask_b16 v10.l, v20.l, v22.l, s24
v_cndmask_b32_e32 v10, v20, v22, vcc_lo
v_cos_bf16_e32 v10.l, v20.l
v_cos_f16_e32 v10.l, v20.l
v_cos_f32_e32 v10, v20
v_ctz_i32_b32_e32 v10, v20
v_cubeid_f32 v10, v20, v22, v24
v_cubema_f32 v10, v20, v22, v24
v_cubesc_f32 v10, v20, v22, v24
v_cubetc_f32 v10, v20, v22, v24
v_cvt_f16_bf8_e32 v10.l, v20
v_cvt_f16_f32_e32 v10.l, v20
v_cvt_f16_fp8_e32 v10.l, v20
v_cvt_f16_i16_e32 v10.l, v20.l
v_cvt_f16_u16_e32 v10.l, v20.l
v_cvt_f32_bf16_e32 v10, v20.l
v_cvt_f32_bf8_e32 v10, v20
v_cvt_f32_f16_e32 v10, v20.l
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
v_cvt_floor_i32_f32_e32 v10, v20
v_cvt_i16_f16_e32 v10.l, v20.l
v_cvt_i32_f32_e32 v10, v20
v_cvt_i32_f64_e32 v10, v[20:21]
v_cvt_i32_i16_e32 v10, v20.l
v_cvt_nearest_i32_f32_e32 v10, v20
v_cvt_norm_i16_f16_e32 v10.l, v20.l
v_cvt_norm_u16_f16_e32 v10.l, v20.l
v_cvt_off_f32_i4_e32 v10, v20
v_cvt_pk_bf16_f32 v10, v20, v22
v_cvt_pk_bf8_f16 v10.l, v20
v_cvt_pk_bf8_f32 v10.l, v20, v22
v_cvt_pk_f16_bf8 v10, v20.l
v_cvt_pk_f16_f32 v10, v20, v22
v_cvt_pk_f16_fp8 v10, v20.l
v_cvt_pk_f32_bf8_e32 v[10:11], v20.l
v_cvt_pk_f32_fp8_e32 v[10:11], v20.l
v_cvt_pk_fp8_f16 v10.l, v20
v_cvt_pk_fp8_f32 v10.l, v20, v22
v_cvt_pk_i16_f32 v10, v20, v22
v_cvt_pk_i16_i32 v10, v20, v22
v_cvt_pk_norm_i16_f16 v10, v20.l, v22.l
v_cvt_pk_norm_i16_f32 v10, v20, v22
v_cvt_pk_norm_u16_f16 v10, v20.l, v22.l
v_cvt_pk_norm_u16_f32 v10, v20, v22
v_cvt_pk_rtz_f16_f32_e32 v10, v20, v22
v_cvt_pk_u16_f32 v10, v20, v22
v_cvt_pk_u16_u32 v10, v20, v22
v_cvt_pk_u8_f32 v10, v20, v22, v24
v_cvt_scale_pk16_bf16_bf6 v[100:107], v[20:22], v96
v_cvt_scale_pk16_bf16_fp6 v[100:107], v[20:22], v96
v_cvt_scale_pk16_f16_bf6 v[100:107], v[20:22], v96
v_cvt_scale_pk16_f16_fp6 v[100:107], v[20:22], v96
v_cvt_scale_pk16_f32_bf6 v[100:115], v[20:22], v96
v_cvt_scale_pk16_f32_fp6 v[100:115], v[20:22], v96
v_cvt_scale_pk8_bf16_bf8 v[100:103], v[20:21], v96
v_cvt_scale_pk8_bf16_fp4 v[100:103], v20, v96
v_cvt_scale_pk8_bf16_fp8 v[100:103], v[20:21], v96
v_cvt_scale_pk8_f16_bf8 v[100:103], v[20:21], v96
v_cvt_scale_pk8_f16_fp4 v[100:103], v20, v96
v_cvt_scale_pk8_f16_fp8 v[100:103], v[20:21], v96
v_cvt_scale_pk8_f32_bf8 v[100:107], v[20:21], v96
v_cvt_scale_pk8_f32_fp4 v[100:107], v20, v96
v_cvt_scale_pk8_f32_fp8 v[100:107], v[20:21], v96
v_cvt_scalef32_pk16_bf6_bf16 v[100:102], v[20:27], v96
v_cvt_scalef32_pk16_bf6_f16 v[100:102], v[20:27], v96
v_cvt_scalef32_pk16_bf6_f32 v[100:102], v[20:35], v96
v_cvt_scalef32_pk16_fp6_bf16 v[100:102], v[20:27], v96
v_cvt_scalef32_pk16_fp6_f16 v[100:102], v[20:27], v96
v_cvt_scalef32_pk16_fp6_f32 v[100:102], v[20:35], v96
v_cvt_scalef32_pk8_bf8_bf16 v[100:101], v[20:23], v96
v_cvt_scalef32_pk8_bf8_f16 v[100:101], v[20:23], v96
v_cvt_scalef32_pk8_bf8_f32 v[100:101], v[20:27], v96
v_cvt_scalef32_pk8_fp4_bf16 v100, v[20:23], v96
v_cvt_scalef32_pk8_fp4_f16 v100, v[20:23], v96
v_cvt_scalef32_pk8_fp4_f32 v100, v[20:27], v96
v_cvt_scalef32_pk8_fp8_bf16 v[100:101], v[20:23], v96
v_cvt_scalef32_pk8_fp8_f16 v[100:101], v[20:23], v96
v_cvt_scalef32_pk8_fp8_f32 v[100:101], v[20:27], v96
v_cvt_scalef32_sr_pk16_bf6_bf16 v[100:102], v[20:27], v60, v96
v_cvt_scalef32_sr_pk16_bf6_f16 v[100:102], v[20:27], v60, v96
v_cvt_scalef32_sr_pk16_bf6_f32 v[100:102], v[20:35], v60, v96
v_cvt_scalef32_sr_pk16_fp6_bf16 v[100:102], v[20:27], v60, v96
v_cvt_scalef32_sr_pk16_fp6_f16 v[100:102], v[20:27], v60, v96
v_cvt_scalef32_sr_pk16_fp6_f32 v[100:102], v[20:35], v60, v96
v_cvt_scalef32_sr_pk8_bf8_bf16 v[100:101], v[20:23], v60, v96
v_cvt_scalef32_sr_pk8_bf8_f16 v[100:101], v[20:23], v60, v96
v_cvt_scalef32_sr_pk8_bf8_f32 v[100:101], v[20:27], v60, v96
v_cvt_scalef32_sr_pk8_fp4_bf16 v100, v[20:23], v60, v96
v_cvt_scalef32_sr_pk8_fp4_f16 v100, v[20:23], v60, v96
v_cvt_scalef32_sr_pk8_fp4_f32 v100, v[20:27], v60, v96
v_cvt_scalef32_sr_pk8_fp8_bf16 v[100:101], v[20:23], v60, v96
v_cvt_scalef32_sr_pk8_fp8_f16 v[100:101], v[20:23], v60, v96
v_cvt_scalef32_sr_pk8_fp8_f32 v[100:101], v[20:27], v60, v96
v_cvt_sr_bf8_f16 v10, v20.l, v22
v_cvt_sr_bf8_f32 v10, v20, v22
v_cvt_sr_fp8_f16 v10, v20.l, v22
v_cvt_sr_fp8_f32 v10, v20, v22
v_cvt_sr_pk_bf16_f32 v10, v20, v22, v24
v_cvt_sr_pk_f16_f32 v10, v20, v22, v24
v_cvt_u16_f16_e32 v10.l, v20.l
v_cvt_u32_f32_e32 v10, v20
v_cvt_u32_f64_e32 v10, v[20:21]
v_cvt_u32_u16_e32 v10, v20.l
v_div_fixup_f16 v10.l, v20.l, v22.l, v24.l
v_div_fixup_f32 v10, v20, v22, v24
v_div_fixup_f64 v[10:11], v[20:21], v[22:23], v[24:25]
v_div_fmas_f32 v10, v20, v22, v24
v_div_fmas_f64 v[10:11], v[20:21], v[22:23], v[24:25]
v_div_scale_f32 v10, vcc_lo, v20, v22, vcc_lo
v_div_scale_f64 v[10:11], vcc_lo, v[20:21], v[22:23], v[24:25]
v_dot4_i32_iu8 v10, v20, v22, v24
v_dot4_u32_u8 v10, v20, v22, v24
v_dot8_i32_iu4 v10, v20, v22, v24
v_dot8_u32_u4 v10, v20, v22, v24
v_exp_bf16_e32 v10.l, v20.l
v_exp_f16_e32 v10.l, v20.l
v_exp_f32_e32 v10, v20
v_floor_f16_e32 v10.l, v20.l
v_floor_f32_e32 v10, v20
v_floor_f64_e32 v[10:11], v[20:21]
v_fma_dx9_zero_f32 v10, v20, v22, v24
v_fma_f16 v10.l, v20.l, v22.l, v24.l
v_fma_f32 v10, v20, v22, v24
v_fma_f64 v[10:11], v[20:21], v[22:23], v[24:25]
v_fma_mix_f32 v10, v20, v22, v24
v_fma_mix_f32_bf16 v10, v20, v22, v24
v_fma_mixhi_bf16 v10, v20, v22, v24
v_fma_mixhi_f16 v10, v20, v22, v24
v_fma_mixlo_bf16 v10, v20, v22, v24
v_fma_mixlo_f16 v10, v20, v22, v24
v_fmaak_f16 v10.l, v20.l, v22.l, 0x1234
v_fmaak_f32 v10, v20, v22, 0x12345678
v_fmaak_f64 v[10:11], v[20:21], v[22:23], 0x12345678
v_fmac_f16_e32 v10.l, v20.l, v22.l
v_fmac_f32_e32 v10, v20, v22
v_fmac_f64_e32 v[10:11], v[20:21], v[22:23]
v_fmamk_f16 v10.l, v20.l, 0x1234, v22.l
v_fmamk_f32 v10, v20, 0x12345678, v22
v_fmamk_f64 v[10:11], v[20:21], 0x12345678, v[22:23]
v_fract_f16_e32 v10.l, v20.l
v_fract_f32_e32 v10, v20
v_fract_f64_e32 v[10:11], v[20:21]
v_frexp_exp_i16_f16_e32 v10.l, v20.l
v_frexp_exp_i32_f32_e32 v10, v20
v_frexp_exp_i32_f64_e32 v10, v[20:21]
v_frexp_mant_f16_e32 v10.l, v20.l
v_frexp_mant_f32_e32 v10, v20
v_frexp_mant_f64_e32 v[10:11], v[20:21]
v_ldexp_f16_e32 v10.l, v20.l, v22.l
v_ldexp_f32 v10, v20, v22
v_ldexp_f64 v[10:11], v[20:21], v22
v_lerp_u8 v10, v20, v22, v24
v_log_bf16_e32 v10.l, v20.l
v_log_f16_e32 v10.l, v20.l
v_log_f32_e32 v10, v20
v_lshl_add_u32 v10, v20, v22, v24
v_lshl_add_u64 v[10:11], v[20:21], v22, v[24:25]
v_lshl_or_b32 v10, v20, v22, v24
v_lshlrev_b16 v10.l, v20.l, v22.l
v_lshlrev_b32_e32 v10, v20, v22
v_lshlrev_b64_e32 v[10:11], v20, v[22:23]
v_lshrrev_b16 v10.l, v20.l, v22.l
v_lshrrev_b32_e32 v10, v20, v22
v_lshrrev_b64 v[10:11], v20, v[22:23]
v_mad_co_i64_i32 v[10:11], vcc_lo, v20, v22, v[24:25]
v_mad_co_u64_u32 v[10:11], vcc_lo, v20, v22, v[24:25]
v_mad_i16 v10.l, v20.l, v22.l, v24.l
v_mad_i32_i16 v10, v20.l, v22.l, v24
v_mad_i32_i24 v10, v20, v22, v24
v_mad_nc_i64_i32 v[10:11], v20, v22, v[24:25]
v_mad_nc_u64_u32 v[10:11], v20, v22, v[24:25]
v_mad_u16 v10.l, v20.l, v22.l, v24.l
v_mad_u32 v10, v20, v22, v24
v_mad_u32_u16 v10, v20.l, v22.l, v24
v_mad_u32_u24 v10, v20, v22, v24
v_max3_i16 v10.l, v20.l, v22.l, v24.l
v_max3_i32 v10, v20, v22, v24
v_max3_num_f16 v10.l, v20.l, v22.l, v24.l
v_max3_num_f32 v10, v20, v22, v24
v_max3_u16 v10.l, v20.l, v22.l, v24.l
v_max3_u32 v10, v20, v22, v24
v_max_i16 v10.l, v20.l, v22.l
v_max_i32_e32 v10, v20, v22
v_max_i64 v[10:11], v[20:21], v[22:23]
v_max_num_f16_e32 v10.l, v20.l, v22.l
v_max_num_f32_e32 v10, v20, v22
v_max_num_f64_e32 v[10:11], v[20:21], v[22:23]
v_max_u16 v10.l, v20.l, v22.l
v_max_u32_e32 v10, v20, v22
v_max_u64 v[10:11], v[20:21], v[22:23]
v_maximum3_f16 v10.l, v20.l, v22.l, v24.l
v_maximum3_f32 v10, v20, v22, v24
v_maximum_f16 v10.l, v20.l, v22.l
v_maximum_f32 v10, v20, v22
v_maximum_f64 v[10:11], v[20:21], v[22:23]
v_maximumminimum_f16 v10.l, v20.l, v22.l, v24.l
v_maximumminimum_f32 v10, v20, v22, v24
v_maxmin_i32 v10, v20, v22, v24
v_maxmin_num_f16 v10.l, v20.l, v22.l, v24.l
v_maxmin_num_f32 v10, v20, v22, v24
v_maxmin_u32 v10, v20, v22, v24
v_mbcnt_hi_u32_b32 v10, v20, v22
v_mbcnt_lo_u32_b32 v10, v20, v22
v_med3_i16 v10.l, v20.l, v22.l, v24.l
v_med3_i32 v10, v20, v22, v24
v_med3_num_f16 v10.l, v20.l, v22.l, v24.l
v_med3_num_f32 v10, v20, v22, v24
v_med3_u16 v10.l, v20.l, v22.l, v24.l
v_med3_u32 v10, v20, v22, v24
v_min3_i16 v10.l, v20.l, v22.l, v24.l
v_min3_i32 v10, v20, v22, v24
v_min3_num_f16 v10.l, v20.l, v22.l, v24.l
v_min3_num_f32 v10, v20, v22, v24
v_min3_u16 v10.l, v20.l, v22.l, v24.l
v_min3_u32 v10, v20, v22, v24
v_min_i16 v10.l, v20.l, v22.l
v_min_i32_e32 v10, v20, v22
v_min_i64 v[10:11], v[20:21], v[22:23]
v_min_num_f16_e32 v10.l, v20.l, v22.l
v_min_num_f32_e32 v10, v20, v22
v_min_num_f64_e32 v[10:11], v[20:21], v[22:23]
v_min_u16 v10.l, v20.l, v22.l
v_min_u32_e32 v10, v20, v22
v_min_u64 v[10:11], v[20:21], v[22:23]
v_minimum3_f16 v10.l, v20.l, v22.l, v24.l
v_minimum3_f32 v10, v20, v22, v24
v_minimum_f16 v10.l, v20.l, v22.l
v_minimum_f32 v10, v20, v22
v_minimum_f64 v[10:11], v[20:21], v[22:23]
v_minimummaximum_f16 v10.l, v20.l, v22.l, v24.l
v_minimummaximum_f32 v10, v20, v22, v24
v_minmax_i32 v10, v20, v22, v24
v_minmax_num_f16 v10.l, v20.l, v22.l, v24.l
v_minmax_num_f32 v10, v20, v22, v24
v_minmax_u32 v10, v20, v22, v24
v_mov_b16_e32 v10.l, v20.l
v_mov_b32_e32 v10, v20
v_mov_b64_e32 v[10:11], v[20:21]
v_movreld_b32_e32 v10, v20
v_movrels_b32_e32 v10, v20
v_movrelsd_2_b32_e32 v10, v20
v_movrelsd_b32_e32 v10, v20
v_mqsad_pk_u16_u8 v[10:11], v[20:21], v22, v[24:25]
v_mqsad_u32_u8 v[100:103], v[20:21], v60, v[96:99]
v_msad_u8 v10, v20, v22, v24
v_mul_dx9_zero_f32_e32 v10, v20, v22
v_mul_f16_e32 v10.l, v20.l, v22.l
v_mul_f32_e32 v10, v20, v22
v_mul_f64_e32 v[10:11], v[20:21], v[22:23]
v_mul_hi_i32 v10, v20, v22
v_mul_hi_i32_i24_e32 v10, v20, v22
v_mul_hi_u32 v10, v20, v22
v_mul_hi_u32_u24_e32 v10, v20, v22
v_mul_i32_i24_e32 v10, v20, v22
v_mul_lo_u16 v10.l, v20.l, v22.l
v_mul_lo_u32 v10, v20, v22
v_mul_u32_u24_e32 v10, v20, v22
v_mul_u64_e32 v[10:11], v[20:21], v[22:23]
v_mullit_f32 v10, v20, v22, v24
v_nop
v_not_b16_e32 v10.l, v20.l
v_not_b32_e32 v10, v20
v_or3_b32 v10, v20, v22, v24
v_or_b16 v10.l, v20.l, v22.l
v_or_b32_e32 v10, v20, v22
v_pack_b32_f16 v10, v20.l, v22.l
v_perm_b32 v10, v20, v22, v24
v_perm_pk16_b4_u4 v[10:11], v20, v22, v[24:25]
v_perm_pk16_b6_u4 v[100:102], v20, v[60:61], v[96:97]
v_perm_pk16_b8_u4 v[100:103], v[20:21], v[60:61], v[96:97]
v_permlane16_b32 v10, v20, s22, s24
v_permlane16_swap_b32_e32 v10, v20
v_permlane16_var_b32 v10, v20, v22
v_permlane64_b32 v10, v20
v_permlane_bcast_b32 v10, v20, s22, s24
v_permlane_down_b32 v10, v20, s22, s24
v_permlane_idx_gen_b32 v10, v20, s22
v_permlane_up_b32 v10, v20, s22, s24
v_permlane_xor_b32 v10, v20, s22, s24
v_permlanex16_b32 v10, v20, s22, s24
v_permlanex16_var_b32 v10, v20, v22
v_pipeflush
v_pk_add_bf16 v10, v20, v22
v_pk_add_f16 v10, v20, v22
v_pk_add_f32 v[10:11], v[20:21], v[22:23]
v_pk_add_i16 v10, v20, v22
v_pk_add_max_i16 v10, v20, v22, v24
v_pk_add_max_u16 v10, v20, v22, v24
v_pk_add_min_i16 v10, v20, v22, v24
v_pk_add_min_u16 v10, v20, v22, v24
v_pk_add_u16 v10, v20, v22
v_pk_ashrrev_i16 v10, v20, v22
v_pk_fma_bf16 v10, v20, v22, v24
v_pk_fma_f16 v10, v20, v22, v24
v_pk_fma_f32 v[10:11], v[20:21], v[22:23], v[24:25]
v_pk_fmac_f16 v10, v20, v22
v_pk_lshlrev_b16 v10, v20, v22
v_pk_lshrrev_b16 v10, v20, v22
v_pk_mad_i16 v10, v20, v22, v24
v_pk_mad_u16 v10, v20, v22, v24
v_pk_max3_i16 v10, v20, v22, v24
v_pk_max3_num_f16 v10, v20, v22, v24
v_pk_max3_u16 v10, v20, v22, v24
v_pk_max_i16 v10, v20, v22
v_pk_max_num_bf16 v10, v20, v22
v_pk_max_num_f16 v10, v20, v22
v_pk_max_u16 v10, v20, v22
v_pk_maximum3_f16 v10, v20, v22, v24
v_pk_maximum_f16 v10, v20, v22
v_pk_min3_i16 v10, v20, v22, v24
v_pk_min3_num_f16 v10, v20, v22, v24
v_pk_min3_u16 v10, v20, v22, v24
v_pk_min_i16 v10, v20, v22
v_pk_min_num_bf16 v10, v20, v22
v_pk_min_num_f16 v10, v20, v22
v_pk_min_u16 v10, v20, v22
v_pk_minimum3_f16 v10, v20, v22, v24
v_pk_minimum_f16 v10, v20, v22
v_pk_mul_bf16 v10, v20, v22
v_pk_mul_f16 v10, v20, v22
v_pk_mul_f32 v[10:11], v[20:21], v[22:23]
v_pk_mul_lo_u16 v10, v20, v22
v_pk_sub_i16 v10, v20, v22
v_pk_sub_u16 v10, v20, v22
v_prng_b32_e32 v10, v20
v_qsad_pk_u16_u8 v[10:11], v[20:21], v22, v[24:25]
v_rcp_bf16_e32 v10.l, v20.l
v_rcp_f16_e32 v10.l, v20.l
v_rcp_f32_e32 v10, v20
v_rcp_f64_e32 v[10:11], v[20:21]
v_rcp_iflag_f32_e32 v10, v20
v_readfirstlane_b32 s20, v20
v_readlane_b32 s20, v20, s22
v_rndne_f16_e32 v10.l, v20.l
v_rndne_f32_e32 v10, v20
v_rndne_f64_e32 v[10:11], v[20:21]
v_rsq_bf16_e32 v10.l, v20.l
v_rsq_f16_e32 v10.l, v20.l
v_rsq_f32_e32 v10, v20
v_rsq_f64_e32 v[10:11], v[20:21]
v_s_exp_f16 s20, s22
v_s_exp_f32 s20, s22
v_s_log_f16 s20, s22
v_s_log_f32 s20, s22
v_s_rcp_f16 s20, s22
v_s_rcp_f32 s20, s22
v_s_rsq_f16 s20, s22
v_s_rsq_f32 s20, s22
v_s_sqrt_f16 s20, s22
v_s_sqrt_f32 s20, s22
v_sad_hi_u8 v10, v20, v22, v24
v_sad_u16 v10, v20, v22, v24
v_sad_u32 v10, v20, v22, v24
v_sad_u8 v10, v20, v22, v24
v_sat_pk4_i4_i8_e32 v10.l, v20
v_sat_pk4_u4_u8_e32 v10.l, v20
v_sat_pk_u8_i16_e32 v10.l, v20
v_sin_bf16_e32 v10.l, v20.l
v_sin_f16_e32 v10.l, v20.l
v_sin_f32_e32 v10, v20
v_sqrt_bf16_e32 v10.l, v20.l
v_sqrt_f16_e32 v10.l, v20.l
v_sqrt_f32_e32 v10, v20
v_sqrt_f64_e32 v[10:11], v[20:21]
v_sub_co_ci_u32_e32 v10, vcc_lo, v20, v22, vcc_lo
v_sub_co_u32 v10, s20, v22, v24
v_sub_f16_e32 v10.l, v20.l, v22.l
v_sub_f32_e32 v10, v20, v22
v_sub_nc_i16 v10.l, v20.l, v22.l
v_sub_nc_i32 v10, v20, v22
v_sub_nc_u16 v10.l, v20.l, v22.l
v_sub_nc_u32_e32 v10, v20, v22
v_sub_nc_u64_e32 v[10:11], v[20:21], v[22:23]
v_subrev_co_ci_u32_e32 v10, vcc_lo, v20, v22, vcc_lo
v_subrev_co_u32 v10, s20, v22, v24
v_subrev_f16_e32 v10.l, v20.l, v22.l
v_subrev_f32_e32 v10, v20, v22
v_subrev_nc_u32_e32 v10, v20, v22
v_swap_b16 v10.l, v20.l
v_swap_b32 v10, v20
v_swaprel_b32 v10, v20
v_swmmac_bf16_16x16x32_bf16 v[128:131], v[40:43], v[60:67], v20
v_swmmac_bf16_16x16x64_bf16 v[128:131], v[40:47], v[60:75], v20
v_swmmac_bf16f32_16x16x64_bf16 v[128:135], v[40:47], v[60:75], v20
v_swmmac_f16_16x16x128_bf8_bf8 v[128:131], v[40:47], v[60:75], v[20:21]
v_swmmac_f16_16x16x128_bf8_fp8 v[128:131], v[40:47], v[60:75], v[20:21]
v_swmmac_f16_16x16x128_fp8_bf8 v[128:131], v[40:47], v[60:75], v[20:21]
v_swmmac_f16_16x16x128_fp8_fp8 v[128:131], v[40:47], v[60:75], v[20:21]
v_swmmac_f16_16x16x32_f16 v[128:131], v[40:43], v[60:67], v20
v_swmmac_f16_16x16x64_f16 v[128:131], v[40:47], v[60:75], v20
v_swmmac_f32_16x16x128_bf8_bf8 v[128:135], v[40:47], v[60:75], v[20:21]
v_swmmac_f32_16x16x128_bf8_fp8 v[128:135], v[40:47], v[60:75], v[20:21]
v_swmmac_f32_16x16x128_fp8_bf8 v[128:135], v[40:47], v[60:75], v[20:21]
v_swmmac_f32_16x16x128_fp8_fp8 v[128:135], v[40:47], v[60:75], v[20:21]
v_swmmac_f32_16x16x32_bf16 v[128:135], v[40:43], v[60:67], v20
v_swmmac_f32_16x16x32_bf8_bf8 v[128:135], v[40:41], v[60:63], v20
v_swmmac_f32_16x16x32_bf8_fp8 v[128:135], v[40:41], v[60:63], v20
v_swmmac_f32_16x16x32_f16 v[128:135], v[40:43], v[60:67], v20
v_swmmac_f32_16x16x32_fp8_bf8 v[128:135], v[40:41], v[60:63], v20
v_swmmac_f32_16x16x32_fp8_fp8 v[128:135], v[40:41], v[60:63], v20
v_swmmac_f32_16x16x64_bf16 v[128:135], v[40:47], v[60:75], v20
v_swmmac_f32_16x16x64_f16 v[128:135], v[40:47], v[60:75], v20
v_swmmac_i32_16x16x128_iu8 v[128:135], v[40:47], v[60:75], v[20:21]
v_swmmac_i32_16x16x32_iu4 v[128:135], v40, v[60:61], v20
v_swmmac_i32_16x16x32_iu8 v[128:135], v[40:41], v[60:63], v20
v_swmmac_i32_16x16x64_iu4 v[128:135], v[40:41], v[60:63], v20
v_tanh_bf16_e32 v10.l, v20.l
v_tanh_f16_e32 v10.l, v20.l
v_tanh_f32_e32 v10, v20
v_trig_preop_f64 v[10:11], v[20:21], v22
v_trunc_f16_e32 v10.l, v20.l
v_trunc_f32_e32 v10, v20
v_trunc_f64_e32 v[10:11], v[20:21]
v_wmma_bf16_16x16x16_bf16 v[128:131], v[40:43], v[60:63], v[128:131]
v_wmma_bf16_16x16x32_bf16 v[128:131], v[40:47], v[60:67], v[128:131]
v_wmma_bf16f32_16x16x32_bf16 v[100:103], v[20:27], v[28:35], v[36:43]
v_wmma_f16_16x16x128_bf8_bf8 v[128:131], v[40:55], v[60:75], v[128:131]
v_wmma_f16_16x16x128_bf8_fp8 v[128:131], v[40:55], v[60:75], v[128:131]
v_wmma_f16_16x16x128_fp8_bf8 v[128:131], v[40:55], v[60:75], v[128:131]
v_wmma_f16_16x16x128_fp8_fp8 v[128:131], v[40:55], v[60:75], v[128:131]
v_wmma_f16_16x16x16_f16 v[128:131], v[40:43], v[60:63], v[128:131]
v_wmma_f16_16x16x32_f16 v[128:131], v[40:47], v[60:67], v[128:131]
v_wmma_f16_16x16x64_bf8_bf8 v[128:131], v[40:47], v[60:67], v[128:131]
v_wmma_f16_16x16x64_bf8_fp8 v[128:131], v[40:47], v[60:67], v[128:131]
v_wmma_f16_16x16x64_fp8_bf8 v[128:131], v[40:47], v[60:67], v[128:131]
v_wmma_f16_16x16x64_fp8_fp8 v[128:131], v[40:47], v[60:67], v[128:131]
v_wmma_f32_16x16x128_bf8_bf8 v[128:135], v[40:55], v[60:75], v[128:135]
v_wmma_f32_16x16x128_bf8_fp8 v[128:135], v[40:55], v[60:75], v[128:135]
v_wmma_f32_16x16x128_f8f6f4 v[128:135], v[40:55], v[60:75], v[128:135]
v_wmma_f32_16x16x128_fp8_bf8 v[128:135], v[40:55], v[60:75], v[128:135]
v_wmma_f32_16x16x128_fp8_fp8 v[128:135], v[40:55], v[60:75], v[128:135]
v_wmma_f32_16x16x16_bf16 v[128:135], v[40:43], v[60:63], v[128:135]
v_wmma_f32_16x16x16_bf8_bf8 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_f32_16x16x16_bf8_fp8 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_f32_16x16x16_f16 v[128:135], v[40:43], v[60:63], v[128:135]
v_wmma_f32_16x16x16_fp8_bf8 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_f32_16x16x16_fp8_fp8 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_f32_16x16x32_bf16 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_f32_16x16x32_f16 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_f32_16x16x4_f32 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_f32_16x16x64_bf8_bf8 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_f32_16x16x64_bf8_fp8 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_f32_16x16x64_fp8_bf8 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_f32_16x16x64_fp8_fp8 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_f32_32x16x128_f4 v[128:143], v[40:55], v[60:67], v[128:143]
v_wmma_i32_16x16x16_iu4 v[128:135], v40, v60, v[128:135]
v_wmma_i32_16x16x16_iu8 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_i32_16x16x32_iu4 v[128:135], v[40:41], v[60:61], v[128:135]
v_wmma_i32_16x16x64_iu8 v[128:135], v[40:47], v[60:67], v[128:135]
v_wmma_scale16_f32_16x16x128_f8f6f4 v[128:135], v[40:55], v[60:75], v[128:135], v[20:21], v[22:23]
v_wmma_scale16_f32_32x16x128_f4 v[128:143], v[40:55], v[60:67], v[128:143], v[20:21], v[22:23]
v_wmma_scale_f32_16x16x128_f8f6f4 v[128:135], v[40:55], v[60:75], v[128:135], v20, v22
v_wmma_scale_f32_32x16x128_f4 v[128:143], v[40:55], v[60:67], v[128:143], v20, v22
v_writelane_b32 v10, s20, s22
v_xad_u32 v10, v20, v22, v24
v_xnor_b32_e32 v10, v20, v22
v_xor3_b32 v10, v20, v22, v24
v_xor_b16 v10.l, v20.l, v22.l
v_xor_b32_e32 v10, v20, v22
