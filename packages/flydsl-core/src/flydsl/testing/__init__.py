"""What tests of FlyDSL and of its plugins use: suites, fakes and comparisons."""
