"""The conformance suite on flydsl-acme: what a third party writes to know that its plugin is complete."""

from flydsl.testing.suite import Tensors, conformance
from flydsl_acme.adaptor import AcmeArray

TestAcme = conformance(
    "flydsl_acme.plugin",
    targets=("acme1", "acme2"),
    devices=("acme1",),
    tensors=Tensors(lambda shape, dtype: AcmeArray([0.0] * shape[0]), shapes=((1,), (7,))),
    without={
        "strided": "an AcmeArray has no gaps",
        "read_only": "an AcmeArray can always be written",
    },
)
