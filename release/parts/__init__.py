"""The parts of a release."""
