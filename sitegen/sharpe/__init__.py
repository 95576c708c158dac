"""The chapter on SharpeArena: boards, their entries, and the kernels that score them."""
