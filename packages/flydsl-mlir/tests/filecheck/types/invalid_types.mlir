// Types and attributes that are malformed or make no sense.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected an integer, '?', '*' or '(', found '>)'}}
func.func private @f(!fly.int_tuple<(4,>)

// -----

// expected-error@+1 {{expected '>', found '{i16}>)'}}
func.func private @f(!fly.int_tuple<?{i16}>)

// -----

// expected-error@+1 {{expected an integer, '?', '*' or '(', found ')>)'}}
func.func private @f(!fly.int_tuple<()>)

// -----

// expected-error@+1 {{make_layout((4, 8), (1,)): shape and stride must have the same structure}}
func.func private @f(!fly.layout<(4,8):(1)>)

// -----

// expected-error@+1 {{expected ':', found '>)'}}
func.func private @f(!fly.layout<(4,8)>)

// -----

// expected-error@+1 {{make_layout(*): * is not allowed in this shape}}
func.func private @f(!fly.layout<*:1>)

// -----

// expected-error@+1 {{expected S<mask,base,shift>, found 'S<3,4>>)'}}
func.func private @f(!fly.swizzle<S<3,4>>)

// -----

// expected-error@+1 {{expected S<mask,base,shift>, found 'S<-1,0,0>>)'}}
func.func private @f(!fly.swizzle<S<-1,0,0>>)

// -----

// expected-error@+1 {{expected CS<mask,row,[mode],col,[mode]>, found 'CS<...>>)'}}
func.func private @f(!fly.coord_swizzle<CS<...>>)

// -----

// expected-error@+1 {{expected 'o', found '>)'}}
func.func private @f(!fly.composed_layout<S<3,4,3> o 0>)

// -----

// expected-error@+1 {{expected 'o' of a composed layout, found '>)'}}
func.func private @f(!fly.composed_layout<8:1>)

// -----

// expected-error@+1 {{expected an integer, '?', '*' or '(', found '>)'}}
func.func private @f(!fly.tile<[8|>)

// -----

// expected-error@+1 {{expected a basis leaf such as 1E0, found '4>)'}}
func.func private @f(!fly.basis<4>)

// -----

// expected-error@+1 {{expected a basis leaf such as 1E0, found '1E>)'}}
func.func private @f(!fly.basis<1E>)

// -----

// expected-error@+1 {{unknown address space 'somewhere': choose from generic, global, shared, register or a target's attribute}}
func.func private @f(!fly.ptr<f32, somewhere>)

// -----

// expected-error@+1 {{align<3> is not a multiple of the 4 bytes of f32}}
func.func private @f(!fly.ptr<f32, global, align<3>>)

// -----

// expected-error@+1 {{an alignment is positive, found 0}}
func.func private @f(!fly.ptr<f32, global, align<0>>)

// -----

// expected-error@+1 {{expected ',', found '>)'}}
func.func private @f(!fly.ptr<f32>)

// -----

// expected-error@+1 {{'fly_absent.space' is not registered}}
func.func private @f(!fly.ptr<f32, #fly_absent.space>)

// -----

// expected-error@+1 {{expected ',', found '>)'}}
func.func private @f(!fly.memref<f32, global>)

// -----

// expected-error@+1 {{expected ':', found '>)'}}
func.func private @f(!fly.memref<f32, global, 8>)

// -----

// expected-error@+1 {{expected S<mask,base,shift>, found '4>)'}}
func.func private @f(!fly.memref<f32, global, 8:1, 4>)

// -----

// expected-error@+1 {{expected ',', found '>)'}}
func.func private @f(!fly.coord_tensor<(0,0)>)

// -----

// expected-error@+1 {{expected a copy operation, found f32}}
func.func private @f(!fly.copy_atom<f32, 32>)

// -----

// expected-error@+1 {{the value width of a copy atom is positive, found 0}}
func.func private @f(!fly.copy_atom<!fly.universal_copy<128>, 0>)

// -----

// expected-error@+1 {{expected an MMA operation, found !fly.universal_copy<128>}}
func.func private @f(!fly.mma_atom<!fly.universal_copy<128>>)

// -----

// expected-error@+1 {{expected a copy atom, found f32}}
func.func private @f(!fly.tiled_copy<f32, !fly.layout<4:1>, !fly.tile<[4]>>)

// -----

// expected-error@+1 {{expected an MMA atom, found !fly.copy_atom<!fly.universal_copy<128>, 32>}}
func.func private @f(!fly.tiled_mma<!fly.copy_atom<!fly.universal_copy<128>, 32>, !fly.layout<1:0>>)

// -----

// expected-error@+1 {{a copy moves at least one bit, found 0}}
func.func private @f(!fly.universal_copy<0>)

// -----

// expected-error@+1 {{expected the number of bits, found 'many>)'}}
func.func private @f(!fly.universal_copy<many>)

// -----

// expected-error@+1 {{unknown atomic operation 'xor': choose from add, max, min, and, or, inc, dec}}
func.func private @f(!fly.universal_atomic<xor, i32>)

// -----

// expected-error@+1 {{universal_fma is 1x1x1 of one type, found '2x1x1, (f32, f32) -> f32'}}
func.func private @f(!fly.universal_fma<2x1x1, (f32, f32) -> f32>)

// -----

// expected-error@+1 {{universal_fma is 1x1x1 of one type, found '1x1x1, (f32, f16) -> f32'}}
func.func private @f(!fly.universal_fma<1x1x1, (f32, f16) -> f32>)

// -----

// expected-error@+1 {{'fly.absent' is not registered}}
func.func private @f(!fly.absent<4>)

// -----

// expected-error@+1 {{Expected `a`, `b`, `c`, or `d`.}}
func.func private @f() attributes {x = #fly<mma_operand e>}

// -----

// expected-error@+1 {{Expected `cache_global`, or `cache_always`.}}
func.func private @f() attributes {x = #fly<cache_policy never>}

// -----

// expected-error@+1 {{Expected `kmn`, `knm`, `mkn`, `mnk`, `nkm`, `nmk`, `kmn_serpentine`, `knm_serpentine`, `mkn_serpentine`, `mnk_serpentine`, `nkm_serpentine`, or `nmk_serpentine`.}}
func.func private @f() attributes {x = #fly<gemm_traversal_order nnn>}

// -----

// expected-error@+1 {{Expected `generic`, `global`, `shared`, or `register`.}}
func.func private @f() attributes {x = #fly<address_space far>}

// -----

// expected-error@+1 {{Expected `add`, `max`, `min`, `and`, `or`, `inc`, or `dec`.}}
func.func private @f() attributes {x = #fly<atomic_op swap>}

// -----

// expected-error@+1 {{expected '>', found '4>}'}}
func.func private @f() attributes {x = #fly.explicit_module<4>}

// -----

// expected-error@+1 {{the path must be mode numbers below 1024, at least one}}
func.func private @f(!fly.basis<1E4294967296>)
