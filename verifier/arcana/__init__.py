"""ARCANA: season scores sealed by manifests, and the checks that recompute them."""
