"""
SharpeArena's figures, recomputed to the last bit from per-seed returns.

Everything is IEEE double, one rounding for each written operation, sums from
first to last. ``exp`` and ``log`` are the C library's, and the published figures
were made with glibc: with another library a figure can differ in its last bit.

A released scoring kernel is a value of type :class:`formulas.sharpe.kernel.Kernel`
and is found by its name in :mod:`formulas.sharpe.kernels`. The figures of a board
are in ``row``, ``interval``, ``paired``, ``ranking``, ``gaps`` and ``eligibility``;
``seeds`` and ``process`` hold the rules around them.
"""
