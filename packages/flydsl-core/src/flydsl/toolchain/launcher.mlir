// What every launcher shares; launcher_text.py adds the rest of the module after it. The structs are those of fly_abi.h.

!api = !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr, i64, ptr)>
!context = !llvm.struct<(i32, i32, i32, ptr, ptr, ptr)>
!config = !llvm.struct<(i32, array<3 x i32>, array<3 x i32>, array<3 x i32>, i32, i32, ptr, i32)>
// One call: table, module, the caller's stream, first error. An error ends all later launches of the call.
!state = !llvm.struct<(ptr, ptr, ptr, i32)>
!spec = !llvm.struct<(i32, i32, ptr, array<5 x i64>, array<5 x i64>, ptr, i64)>
!map = !llvm.array<128 x i8>
#internal = #llvm.linkage<internal>

// For host functions that print.
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.func @fflush(!llvm.ptr) -> i32

// The error of a table that is too small or of another version.
func.func private @fly_check(%rt: !llvm.ptr) -> i32 attributes {llvm.linkage = #internal} {
  %size = llvm.load %rt : !llvm.ptr -> i32
  %version.at = llvm.getelementptr %rt[0, 1] : (!llvm.ptr) -> !llvm.ptr, !api
  %version = llvm.load %version.at : !llvm.ptr -> i32
  %wanted = arith.constant 1 : i32
  %least = arith.constant 40 : i32
  %same = arith.cmpi eq, %version, %wanted : i32
  %whole = arith.cmpi uge, %size, %least : i32
  %ok = arith.andi %same, %whole : i1
  %none = arith.constant 0 : i32
  %bad = arith.constant -1 : i32
  %error = arith.select %ok, %none, %bad : i32
  return %error : i32
}

func.func private @fly_fail(%state: !llvm.ptr, %code: i32) attributes {llvm.linkage = #internal} {
  %error.at = llvm.getelementptr %state[0, 3] : (!llvm.ptr) -> !llvm.ptr, !state
  %before = llvm.load %error.at : !llvm.ptr -> i32
  %none = arith.constant 0 : i32
  %first = arith.cmpi eq, %before, %none : i32
  %error = arith.select %first, %code, %before : i32
  llvm.store %error, %error.at : i32, !llvm.ptr
  return
}

// Fail, with %code, unless the table has %size bytes.
func.func private @fly_need(%state: !llvm.ptr, %size: i32, %code: i32) -> i1 attributes {llvm.linkage = #internal} {
  %rt = llvm.load %state : !llvm.ptr -> !llvm.ptr
  %has = llvm.load %rt : !llvm.ptr -> i32
  %enough = arith.cmpi uge, %has, %size : i32
  %none = arith.constant 0 : i32
  %error = arith.select %enough, %none, %code : i32
  func.call @fly_fail(%state, %error) : (!llvm.ptr, i32) -> ()
  return %enough : i1
}

// Fail unless launches of the table heed %flags.
func.func private @fly_flags(%state: !llvm.ptr, %flags: i64) attributes {llvm.linkage = #internal} {
  %size = arith.constant 48 : i32
  %bad = arith.constant -3 : i32
  %has = func.call @fly_need(%state, %size, %bad) : (!llvm.ptr, i32, i32) -> i1
  scf.if %has {
    %rt = llvm.load %state : !llvm.ptr -> !llvm.ptr
    %known.at = llvm.getelementptr %rt[0, 6] : (!llvm.ptr) -> !llvm.ptr, !api
    %known = llvm.load %known.at : !llvm.ptr -> i64
    %heeded = arith.andi %known, %flags : i64
    %all = arith.cmpi eq, %heeded, %flags : i64
    %none = arith.constant 0 : i32
    %error = arith.select %all, %none, %bad : i32
    func.call @fly_fail(%state, %error) : (!llvm.ptr, i32) -> ()
  }
  return
}

// Have the runtime write a tensor map.
func.func private @fly_encode(%state: !llvm.ptr, %spec: !llvm.ptr, %map: !llvm.ptr)
    attributes {llvm.linkage = #internal} {
  %least = arith.constant 56 : i32
  %bad = arith.constant -4 : i32
  %has = func.call @fly_need(%state, %least, %bad) : (!llvm.ptr, i32, i32) -> i1
  scf.if %has {
    %rt = llvm.load %state : !llvm.ptr -> !llvm.ptr
    %encode.at = llvm.getelementptr %rt[0, 7] : (!llvm.ptr) -> !llvm.ptr, !api
    %encode = llvm.load %encode.at : !llvm.ptr -> !llvm.ptr
    %null = llvm.mlir.zero : !llvm.ptr
    %can = llvm.icmp "ne" %encode, %null : !llvm.ptr
    %error = scf.if %can -> i32 {
      %self.at = llvm.getelementptr %rt[0, 2] : (!llvm.ptr) -> !llvm.ptr, !api
      %self = llvm.load %self.at : !llvm.ptr -> !llvm.ptr
      %size = arith.constant 112 : i32
      llvm.store %size, %spec : i32, !llvm.ptr
      %code = llvm.call %encode(%self, %spec, %map) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      scf.yield %code : i32
    } else {
      scf.yield %bad : i32
    }
    func.call @fly_fail(%state, %error) : (!llvm.ptr, i32) -> ()
  }
  return
}

// Set extent %index of a configuration: 0-2 grid, 3-5 block, 6-8 cluster.
func.func private @fly_extent(%state: !llvm.ptr, %config: !llvm.ptr, %index: i32, %extent: i64)
    attributes {llvm.linkage = #internal} {
  %wide = arith.constant 4294967295 : i64
  %fits = arith.cmpi ule, %extent, %wide : i64
  %none = arith.constant 0 : i32
  %bad = arith.constant -2 : i32
  %error = arith.select %fits, %none, %bad : i32
  func.call @fly_fail(%state, %error) : (!llvm.ptr, i32) -> ()
  %extents = llvm.getelementptr %config[0, 1] : (!llvm.ptr) -> !llvm.ptr, !config
  %at = llvm.getelementptr %extents[%index] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %narrow = arith.trunci %extent : i64 to i32
  llvm.store %narrow, %at : i32, !llvm.ptr
  return
}

// Whether a grid is empty.
func.func private @fly_is_idle(%config: !llvm.ptr) -> i1 attributes {llvm.linkage = #internal} {
  %none = arith.constant 0 : i32
  %x.at = llvm.getelementptr %config[0, 1, 0] : (!llvm.ptr) -> !llvm.ptr, !config
  %x = llvm.load %x.at : !llvm.ptr -> i32
  %y.at = llvm.getelementptr %config[0, 1, 1] : (!llvm.ptr) -> !llvm.ptr, !config
  %y = llvm.load %y.at : !llvm.ptr -> i32
  %z.at = llvm.getelementptr %config[0, 1, 2] : (!llvm.ptr) -> !llvm.ptr, !config
  %z = llvm.load %z.at : !llvm.ptr -> i32
  %no.x = arith.cmpi eq, %x, %none : i32
  %no.y = arith.cmpi eq, %y, %none : i32
  %no.z = arith.cmpi eq, %z, %none : i32
  %no.xy = arith.ori %no.x, %no.y : i1
  %idle = arith.ori %no.xy, %no.z : i1
  return %idle : i1
}

// The threads of a block of so many along x, y and z, at most 4095.
func.func private @fly_threads(%x: i32, %y: i32, %z: i32) -> i32 attributes {llvm.linkage = #internal} {
  %xw = arith.extui %x : i32 to i64
  %yw = arith.extui %y : i32 to i64
  %zw = arith.extui %z : i32 to i64
  %most = arith.constant 4095 : i64
  %xs = arith.minui %xw, %most : i64
  %ys = arith.minui %yw, %most : i64
  %zs = arith.minui %zw, %most : i64
  %xy = arith.muli %xs, %ys : i64
  %xyz = arith.muli %xy, %zs : i64
  %count = arith.minui %xyz, %most : i64
  %narrow = arith.trunci %count : i64 to i32
  return %narrow : i32
}

// Fail unless the block is the one that the kernel is made for; the code says how many threads both have.
func.func private @fly_block(%state: !llvm.ptr, %config: !llvm.ptr, %x: i32, %y: i32, %z: i32)
    attributes {llvm.linkage = #internal} {
  %bx.at = llvm.getelementptr %config[0, 2, 0] : (!llvm.ptr) -> !llvm.ptr, !config
  %bx = llvm.load %bx.at : !llvm.ptr -> i32
  %by.at = llvm.getelementptr %config[0, 2, 1] : (!llvm.ptr) -> !llvm.ptr, !config
  %by = llvm.load %by.at : !llvm.ptr -> i32
  %bz.at = llvm.getelementptr %config[0, 2, 2] : (!llvm.ptr) -> !llvm.ptr, !config
  %bz = llvm.load %bz.at : !llvm.ptr -> i32
  %same.x = arith.cmpi eq, %x, %bx : i32
  %same.y = arith.cmpi eq, %y, %by : i32
  %same.z = arith.cmpi eq, %z, %bz : i32
  %same.xy = arith.andi %same.x, %same.y : i1
  %same.xyz = arith.andi %same.xy, %same.z : i1
  %idle = func.call @fly_is_idle(%config) : (!llvm.ptr) -> i1
  %same = arith.ori %same.xyz, %idle : i1
  %made = func.call @fly_threads(%x, %y, %z) : (i32, i32, i32) -> i32
  %found = func.call @fly_threads(%bx, %by, %bz) : (i32, i32, i32) -> i32
  %shift = arith.constant 12 : i32
  %first = arith.constant -16777216 : i32
  %upper = arith.shli %made, %shift : i32
  %both = arith.ori %upper, %found : i32
  %code = arith.subi %first, %both : i32
  %none = arith.constant 0 : i32
  %error = arith.select %same, %none, %code : i32
  func.call @fly_fail(%state, %error) : (!llvm.ptr, i32) -> ()
  return
}

// Launch; an empty grid is no work and no error. A null stream stands for the caller's.
func.func private @fly_submit(%state: !llvm.ptr, %kernel: i32, %config: !llvm.ptr, %given: !llvm.ptr, %params: !llvm.ptr)
    attributes {llvm.linkage = #internal} {
  %none = arith.constant 0 : i32
  %error.at = llvm.getelementptr %state[0, 3] : (!llvm.ptr) -> !llvm.ptr, !state
  %before = llvm.load %error.at : !llvm.ptr -> i32
  %fine = arith.cmpi eq, %before, %none : i32
  %idle = func.call @fly_is_idle(%config) : (!llvm.ptr) -> i1
  %true = arith.constant true
  %has.work = arith.xori %idle, %true : i1
  %go = arith.andi %fine, %has.work : i1
  scf.if %go {
    %rt = llvm.load %state : !llvm.ptr -> !llvm.ptr
    %module.at = llvm.getelementptr %state[0, 1] : (!llvm.ptr) -> !llvm.ptr, !state
    %module = llvm.load %module.at : !llvm.ptr -> !llvm.ptr
    %handle.at = llvm.getelementptr %module[%kernel] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.ptr
    %handle = llvm.load %handle.at : !llvm.ptr -> !llvm.ptr
    %null = llvm.mlir.zero : !llvm.ptr
    %own = llvm.icmp "ne" %given, %null : !llvm.ptr
    %default.at = llvm.getelementptr %state[0, 2] : (!llvm.ptr) -> !llvm.ptr, !state
    %default = llvm.load %default.at : !llvm.ptr -> !llvm.ptr
    %stream = llvm.select %own, %given, %default : i1, !llvm.ptr
    %self.at = llvm.getelementptr %rt[0, 2] : (!llvm.ptr) -> !llvm.ptr, !api
    %self = llvm.load %self.at : !llvm.ptr -> !llvm.ptr
    %launch.at = llvm.getelementptr %rt[0, 5] : (!llvm.ptr) -> !llvm.ptr, !api
    %launch = llvm.load %launch.at : !llvm.ptr -> !llvm.ptr
    %code = llvm.call %launch(%self, %handle, %config, %stream, %params)
        : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    llvm.store %code, %error.at : i32, !llvm.ptr
  }
  return
}
