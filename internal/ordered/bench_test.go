package ordered

import (
	"fmt"
	"maps"
	"testing"
)

// A plain map is the lower bound for reading and setting in place, which gives
// no order; for a fork it is the cost to avoid.

// A payload is one pointer wide, as in a map of pointers to large structs.
type payload = *int

func benchmark(b *testing.B, run func(b *testing.B, keys []string, plain map[string]payload, m Map[payload])) {
	for _, n := range []int{100, 10_000, 100_000} {
		keys := make([]string, n)
		plain := make(map[string]payload, n)
		for i := range keys {
			keys[i] = key(i * 7919 % n)
			plain[keys[i]] = new(int)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			run(b, keys, plain, Collect(maps.All(plain)))
		})
	}
}

func BenchmarkGet(b *testing.B) {
	benchmark(b, func(b *testing.B, keys []string, plain map[string]payload, m Map[payload]) {
		b.Run("ordered", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Get(keys[i%len(keys)])
			}
		})
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			sum := 0
			for i := 0; b.Loop(); i++ {
				sum += *plain[keys[i%len(keys)]]
			}
		})
	})
}

func BenchmarkSet(b *testing.B) {
	benchmark(b, func(b *testing.B, keys []string, plain map[string]payload, m Map[payload]) {
		value := new(int)
		b.Run("ordered", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m = m.Set(keys[i%len(keys)], value)
			}
		})
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				plain[keys[i%len(keys)]] = value
			}
		})
	})
}

func BenchmarkDeleteAndSet(b *testing.B) {
	benchmark(b, func(b *testing.B, keys []string, plain map[string]payload, m Map[payload]) {
		value := new(int)
		b.Run("ordered", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				k := keys[i%len(keys)]
				m = m.Delete(k).Set(k, value)
			}
		})
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				k := keys[i%len(keys)]
				delete(plain, k)
				plain[k] = value
			}
		})
	})
}

func BenchmarkIterate(b *testing.B) {
	benchmark(b, func(b *testing.B, keys []string, plain map[string]payload, m Map[payload]) {
		b.Run("ordered", func(b *testing.B) {
			b.ReportAllocs()
			sum := 0
			for b.Loop() {
				for k := range m.All() {
					sum += len(k)
				}
			}
		})
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			sum := 0
			for b.Loop() {
				for k := range plain {
					sum += len(k)
				}
			}
		})
	})
}

// BenchmarkFork copies the map and changes one entry of the copy: a copy alone
// costs nothing here.
func BenchmarkFork(b *testing.B) {
	benchmark(b, func(b *testing.B, keys []string, plain map[string]payload, m Map[payload]) {
		value := new(int)
		b.Run("ordered", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				fork := m.Set(keys[i%len(keys)], value)
				if fork.Len() != m.Len() {
					b.Fatal("a key was not found")
				}
			}
		})
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				fork := maps.Clone(plain)
				fork[keys[i%len(keys)]] = value
			}
		})
	})
}

func BenchmarkCollect(b *testing.B) {
	benchmark(b, func(b *testing.B, keys []string, plain map[string]payload, m Map[payload]) {
		b.Run("ascending", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Collect(m.All())
			}
		})
		b.Run("unordered", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Collect(maps.All(plain))
			}
		})
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = maps.Collect(maps.All(plain))
			}
		})
	})
}
