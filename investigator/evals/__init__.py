"""Measuring loops on data sets with known answers. It uses the package as a person would, through `session`."""
