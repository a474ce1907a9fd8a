// Conversions between f16 or bf16 and wider floats, which LLVM calls for processors that have no instruction for them.
// Rounding is to nearest even; NaNs stay NaNs, and become quiet.

llvm.func hidden @__extendhfsf2(%x: f16) -> f32 {
  %exponent = llvm.mlir.constant(0x38000000 : i32) : i32
  %inf = llvm.mlir.constant(0x7F800000 : i32) : i32
  %quiet = llvm.mlir.constant(0x00400000 : i32) : i32
  %unit = llvm.mlir.constant(5.9604644775390625e-08 : f32) : f32
  %c7fff = llvm.mlir.constant(0x7FFF : i32) : i32
  %c8000 = llvm.mlir.constant(0x8000 : i32) : i32
  %c7c00 = llvm.mlir.constant(0x7C00 : i32) : i32
  %c400 = llvm.mlir.constant(0x400 : i32) : i32
  %c13 = llvm.mlir.constant(13 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %narrow = llvm.bitcast %x : f16 to i16
  %bits = llvm.zext %narrow : i16 to i32
  %magnitude = llvm.and %bits, %c7fff : i32
  %moved = llvm.shl %magnitude, %c13 : i32
  %normal = llvm.add %moved, %exponent : i32
  %count = llvm.sitofp %magnitude : i32 to f32
  %scaled = llvm.fmul %count, %unit : f32
  %subnormal = llvm.bitcast %scaled : f32 to i32
  %is_subnormal = llvm.icmp "ult" %magnitude, %c400 : i32
  %finite = llvm.select %is_subnormal, %subnormal, %normal : i1, i32
  %is_nan = llvm.icmp "ugt" %magnitude, %c7c00 : i32
  %mark = llvm.select %is_nan, %quiet, %zero : i1, i32
  %infinite = llvm.or %moved, %inf : i32
  %special = llvm.or %infinite, %mark : i32
  %is_special = llvm.icmp "uge" %magnitude, %c7c00 : i32
  %unsigned = llvm.select %is_special, %special, %finite : i1, i32
  %negative = llvm.and %bits, %c8000 : i32
  %sign = llvm.shl %negative, %c16 : i32
  %signed = llvm.or %unsigned, %sign : i32
  %result = llvm.bitcast %signed : i32 to f32
  llvm.return %result : f32
}

llvm.func hidden @__truncsfhf2(%x: f32) -> f16 {
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c13 = llvm.mlir.constant(13 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %below_half = llvm.mlir.constant(0xFFF : i32) : i32
  %exponent = llvm.mlir.constant(0x1C000 : i32) : i32
  %half = llvm.mlir.constant(0.5 : f32) : f32
  %half_bits = llvm.mlir.constant(0x3F000000 : i32) : i32
  %smallest_normal = llvm.mlir.constant(0x38800000 : i32) : i32
  %c7fffffff = llvm.mlir.constant(0x7FFFFFFF : i32) : i32
  %wide_inf = llvm.mlir.constant(0x7F800000 : i32) : i32
  %inf = llvm.mlir.constant(0x7C00 : i32) : i32
  %quiet = llvm.mlir.constant(0x7E00 : i32) : i32
  %payload_mask = llvm.mlir.constant(0x3FF : i32) : i32
  %c8000 = llvm.mlir.constant(0x8000 : i32) : i32
  %bits = llvm.bitcast %x : f32 to i32
  %magnitude = llvm.and %bits, %c7fffffff : i32
  %moved = llvm.lshr %magnitude, %c13 : i32
  %odd = llvm.and %moved, %c1 : i32
  %nearly = llvm.add %magnitude, %below_half : i32
  %rounded = llvm.add %nearly, %odd : i32
  %shifted = llvm.lshr %rounded, %c13 : i32
  %normal = llvm.sub %shifted, %exponent : i32
  // The last place of 0.5 is the smallest subnormal half: the addition rounds.
  %value = llvm.bitcast %magnitude : i32 to f32
  %sum = llvm.fadd %value, %half : f32
  %sum_bits = llvm.bitcast %sum : f32 to i32
  %subnormal = llvm.sub %sum_bits, %half_bits : i32
  %is_subnormal = llvm.icmp "ult" %magnitude, %smallest_normal : i32
  %finite = llvm.select %is_subnormal, %subnormal, %normal : i1, i32
  %overflows = llvm.icmp "sgt" %finite, %inf : i32
  %number = llvm.select %overflows, %inf, %finite : i1, i32
  %payload = llvm.and %moved, %payload_mask : i32
  %nan = llvm.or %payload, %quiet : i32
  %is_nan = llvm.icmp "ugt" %magnitude, %wide_inf : i32
  %unsigned = llvm.select %is_nan, %nan, %number : i1, i32
  %high = llvm.lshr %bits, %c16 : i32
  %sign = llvm.and %high, %c8000 : i32
  %signed = llvm.or %unsigned, %sign : i32
  %narrow = llvm.trunc %signed : i32 to i16
  %result = llvm.bitcast %narrow : i16 to f16
  llvm.return %result : f16
}

llvm.func hidden @__truncsfbf2(%x: f32) -> bf16 {
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %below_half = llvm.mlir.constant(0x7FFF : i32) : i32
  %quiet = llvm.mlir.constant(0x40 : i32) : i32
  %c7fffffff = llvm.mlir.constant(0x7FFFFFFF : i32) : i32
  %inf = llvm.mlir.constant(0x7F800000 : i32) : i32
  %bits = llvm.bitcast %x : f32 to i32
  %high = llvm.lshr %bits, %c16 : i32
  %odd = llvm.and %high, %c1 : i32
  %nearly = llvm.add %bits, %below_half : i32
  %rounded = llvm.add %nearly, %odd : i32
  %number = llvm.lshr %rounded, %c16 : i32
  %nan = llvm.or %high, %quiet : i32
  %magnitude = llvm.and %bits, %c7fffffff : i32
  %is_nan = llvm.icmp "ugt" %magnitude, %inf : i32
  %signed = llvm.select %is_nan, %nan, %number : i1, i32
  %narrow = llvm.trunc %signed : i32 to i16
  %result = llvm.bitcast %narrow : i16 to bf16
  llvm.return %result : bf16
}

llvm.func hidden @__truncdfhf2(%x: f64) -> f16 {
  %single = llvm.call @fly_round_to_odd(%x) : (f64) -> f32
  %result = llvm.call @__truncsfhf2(%single) : (f32) -> f16
  llvm.return %result : f16
}

llvm.func hidden @__truncdfbf2(%x: f64) -> bf16 {
  %single = llvm.call @fly_round_to_odd(%x) : (f64) -> f32
  %result = llvm.call @__truncsfbf2(%single) : (f32) -> bf16
  llvm.return %result : bf16
}

// Rounding to odd first makes the second rounding as good as a single one (Boldo and Melquiond, 2008).
llvm.func internal @fly_round_to_odd(%x: f64) -> f32 {
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %magnitude_mask = llvm.mlir.constant(0x7FFFFFFFFFFFFFFF : i64) : i64
  %nearest = llvm.fptrunc %x : f64 to f32
  %back = llvm.fpext %nearest : f32 to f64
  %back_bits = llvm.bitcast %back : f64 to i64
  %x_bits = llvm.bitcast %x : f64 to i64
  %back_magnitude = llvm.and %back_bits, %magnitude_mask : i64
  %x_magnitude = llvm.and %x_bits, %magnitude_mask : i64
  %is_away = llvm.icmp "ugt" %back_magnitude, %x_magnitude : i64
  %away = llvm.zext %is_away : i1 to i32
  %bits = llvm.bitcast %nearest : f32 to i32
  %toward_zero = llvm.sub %bits, %away : i32
  %odd = llvm.or %toward_zero, %c1 : i32
  %is_inexact = llvm.fcmp "one" %back, %x : f64
  %chosen = llvm.select %is_inexact, %odd, %bits : i1, i32
  %result = llvm.bitcast %chosen : i32 to f32
  llvm.return %result : f32
}
