package device

import (
	"math"
	"math/bits"
)

// Sum adds two amounts, staying at the largest amount instead of wrapping around.
func Sum(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Product multiplies two amounts ≥ 0, staying at the largest amount instead of wrapping around.
func Product(a, b int64) int64 {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo <= math.MaxInt64 {
		return int64(lo)
	}
	return math.MaxInt64
}

// Percent returns floor(amount × percent / 100) for amount ≥ 0 and 0 ≤ percent ≤ 100, without overflow.
func Percent(amount, percent int64) int64 {
	return amount/100*percent + amount%100*percent/100
}
