"""Transactions, headers, tries and signatures of an EVM chain, checked offline."""
