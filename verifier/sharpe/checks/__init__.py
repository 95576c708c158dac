"""The checks of SharpeArena, a file for each step of the published procedure."""
