// Every type and attribute, in all of its forms.
// RUN: fly-opt %s | filecheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | filecheck %s

// CHECK-LABEL: func.func private @int_tuple(!fly.int_tuple<(4,(?,8))>, !fly.int_tuple<(*,?)>, !fly.int_tuple<?{i64 div=8}>, !fly.int_tuple<(8)>, !fly.int_tuple<(1E0,?E1,2E0E1)>)
func.func private @int_tuple(!fly.int_tuple<(4,(?,8))>, !fly.int_tuple<(*,?)>, !fly.int_tuple< ?{i64 div=8} >, !fly.int_tuple<(8)>, !fly.int_tuple<(1E0, ?E1, 2E0E1)>)
// CHECK-LABEL: func.func private @layout(!fly.layout<(4,8):(1,4)>, !fly.layout<(?,?{div=16}):(?{i64},1)>, !fly.layout<(?,?):(1E0,1E1)>, !fly.layout<1:0>)
func.func private @layout(!fly.layout<(4,8):(1,4)>, !fly.layout<(?, ?{div=16}) : (?{i64}, 1)>, !fly.layout<(?,?):(1E0,1E1)>, !fly.layout<1:0>)
// CHECK-LABEL: func.func private @swizzle(!fly.swizzle<S<3,4,3>>, !fly.coord_swizzle<CS<3,0,[0],3,[1]>>)
func.func private @swizzle(!fly.swizzle<S<3,4,3>>, !fly.coord_swizzle<CS<3,0,[0],3,[1]>>)
// CHECK-LABEL: func.func private @composed_layout(!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>, !fly.composed_layout<(4,8):(1,4) o ? o 8:4>)
func.func private @composed_layout(!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>, !fly.composed_layout<(4,8):(1,4) o ? o 8:4>)
// CHECK-LABEL: func.func private @tile(!fly.tile<[8|64]>, !fly.tile<[32:1|4:1]>, !fly.tile<[*|8]>)
func.func private @tile(!fly.tile<[8|64]>, !fly.tile<[32:1|4:1]>, !fly.tile<[ * | 8 ]>)
// CHECK-LABEL: func.func private @basis(!fly.basis<1E0>, !fly.basis<2E0E1>)
func.func private @basis(!fly.basis<1E0>, !fly.basis<2E0E1>)
// CHECK-LABEL: func.func private @ptr(!fly.ptr<f32, global>, !fly.ptr<f16, shared, align<16>, S<3,3,3>>, !fly.ptr<i8, register>, !fly.ptr<bf16, generic>, !fly.ptr<f32, global>)
func.func private @ptr(!fly.ptr<f32, global>, !fly.ptr<f16, shared, align<16>, S<3,3,3>>, !fly.ptr<i8, register>, !fly.ptr<bf16, generic>, !fly.ptr<f32, global, align<4>>)
// CHECK-LABEL: func.func private @memref(!fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.memref<f16, shared, S<3,3,3> o 0 o (8,64):(64,1), align<16>>, !fly.memref<f16, shared, 8:1, S<3,3,3>>)
func.func private @memref(!fly.memref<f32, global, (8,64):(?{i64},1)>, !fly.memref<f16, shared, S<3,3,3> o 0 o (8,64):(64,1), align<16>>, !fly.memref<f16, shared, 8:1, S<3,3,3>>)
// CHECK-LABEL: func.func private @coord_tensor(!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>)
func.func private @coord_tensor(!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>)
// CHECK-LABEL: func.func private @copy_atom(!fly.universal_copy<128>, !fly.universal_atomic<max, i32, "agent">, !fly.universal_atomic<add, f32>, !fly.copy_atom<!fly.universal_copy<128>, 32>)
func.func private @copy_atom(!fly.universal_copy<128>, !fly.universal_atomic<max, i32, "agent">, !fly.universal_atomic<add, f32>, !fly.copy_atom<!fly.universal_copy<128>, 32>)
// CHECK-LABEL: func.func private @mma_atom(!fly.universal_fma<1x1x1, (f32, f32) -> f32>, !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>)
func.func private @mma_atom(!fly.universal_fma<1x1x1, (f32, f32) -> f32>, !fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>)
// CHECK-LABEL: func.func private @tiled_copy(!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>)
func.func private @tiled_copy(!fly.tiled_copy<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>)
// CHECK-LABEL: func.func private @tiled_mma(!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>>)
func.func private @tiled_mma(!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>, !fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|*]>>)

// CHECK-LABEL: func.func private @attributes()
// CHECK-SAME: cache = #fly<cache_policy cache_always>
// CHECK-SAME: handler = #fly.explicit_module
// CHECK-SAME: operand = #fly<mma_operand a>
// CHECK-SAME: operation = #fly<atomic_op max>
// CHECK-SAME: order = #fly<gemm_traversal_order nmk_serpentine>
// CHECK-SAME: space = #fly<address_space global>
func.func private @attributes() attributes {cache = #fly<cache_policy cache_always>, handler = #fly.explicit_module, operand = #fly<mma_operand a>, operation = #fly<atomic_op max>, order = #fly<gemm_traversal_order nmk_serpentine>, space = #fly<address_space global>}
