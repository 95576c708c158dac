"""SharpeArena: published boards, recomputed from the per-seed returns behind them."""
