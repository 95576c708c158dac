"""Canonical bytes, seals, trees and chains: what every family of evidence stands on."""
