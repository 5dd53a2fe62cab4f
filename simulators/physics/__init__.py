"""Physical models of wheels: pure, numbers in and numbers out; the devices make sensor edges of them."""
