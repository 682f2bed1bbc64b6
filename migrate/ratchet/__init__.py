"""The ratchet: numbers that may only fall. `book` is what people write, `lock` what the tool writes, `judge` decides."""
