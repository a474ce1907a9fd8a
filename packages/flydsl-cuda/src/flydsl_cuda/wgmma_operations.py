"""Operations that order the matrix instructions of warp groups, which run beside the threads that started them.

`fly_nvvm.wgmma_fence` : what was written to registers is seen by the instructions that follow
`fly_nvvm.wgmma_commit` : the instructions since the last commit are a group
`%c1 = fly_nvvm.wgmma_wait(%c0) {count = 0 : i32} : (vector<64xf32>) -> vector<64xf32>` : until at most `count` groups
are outstanding; accumulators pass through it, so that nothing reads them earlier
"""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from flydsl.backend.dialect import ACTS_OUTSIDE, Attr, FlyOp, VariadicOperand


class WgmmaFenceOp(FlyOp):
    """Registers that were written are seen by the matrix instructions that follow."""

    name = "fly_nvvm.wgmma_fence"
    traits = ACTS_OUTSIDE
    results_expected = (0, 0)
    device_only = "wgmma_fence"


class WgmmaCommitOp(FlyOp):
    """The matrix instructions since the last commit are one group."""

    name = "fly_nvvm.wgmma_commit"
    traits = ACTS_OUTSIDE
    results_expected = (0, 0)
    device_only = "wgmma_commit"


class WgmmaWaitOp(FlyOp):
    """Wait until at most `count` groups are outstanding; accumulators go in, and come out complete."""

    name = "fly_nvvm.wgmma_wait"
    traits = ACTS_OUTSIDE
    results_expected = (0, None)
    device_only = "wgmma_wait"
    accumulators = VariadicOperand()
    count = Attr(int)

    def verify_types(self) -> None:
        given, made = list(self.operand_types), list(self.result_types)
        if given != made:
            raise VerifyException(f"{self.name} gives accumulators as it takes them: {given}, found {made}")
