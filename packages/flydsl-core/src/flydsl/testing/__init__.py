"""Test tools for FlyDSL and its plugins: suites, fakes and comparisons."""
