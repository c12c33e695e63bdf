package simulation

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps what was made of texts, up to a number of bytes. What was not used for the longest time goes first. The zero value
// keeps nothing; make one with newCache. Safe for concurrent use.
type cache[T any] struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[string, sized[T]]
	bytes int
	limit int
}

type sized[T any] struct {
	value T
	bytes int
}

func newCache[T any](limit int) *cache[T] {
	c := &cache[T]{limit: limit}
	// The number of entries is bounded by their bytes: each has at least one.
	c.lru, _ = simplelru.NewLRU(max(1, limit), func(_ string, v sized[T]) { c.bytes -= v.bytes })
	return c
}

func (c *cache[T]) get(key string) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.lru.Get(key)
	return v.value, ok
}

// newest returns the value that was used last and meets a condition.
func (c *cache[T]) newest(meets func(T) bool) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := c.lru.Keys()
	for i := len(keys) - 1; i >= 0; i-- {
		if v, _ := c.lru.Peek(keys[i]); meets(v.value) {
			c.lru.Get(keys[i])
			return v.value, true
		}
	}
	return value, false
}

// add keeps a value that takes so many bytes, unless it is larger than all that may be kept.
func (c *cache[T]) add(key string, value T, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.limit {
		return
	}
	c.lru.Remove(key)
	c.lru.Add(key, sized[T]{value, bytes})
	for c.bytes += bytes; c.bytes > c.limit; {
		c.lru.RemoveOldest()
	}
}

func (c *cache[T]) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lru.Len()
}
