// Package ordered provides a persistent ordered map with string keys.
//
// A [Map] never changes once a caller holds it. [Map.Set] and [Map.Delete]
// return a new map that shares all but O(log n) nodes with the old one, so
// copying the value is a complete fork:
//
//	fork := m                 // O(1)
//	fork = fork.Set("a", 1)   // m still has its own "a", or none
//
// # Cost
//
// n is the number of entries and h the height of the tree, at most 2 + log₁₆(i)
// after i insertions, entries collected included: four levels for 100,000 keys.
//
//	operation            time           allocations
//	copy (fork)          O(1)           0
//	Len                  O(1)           0
//	Get                  O(log n)       0
//	Set                  O(log n)       h, and 3 per split
//	Delete               O(log n)       h, 0 if the key is absent
//	All, to the end      O(n)           O(1)
//	Collect, ascending   O(n)           O(n/32)
//	Collect, otherwise   O(n log² n)    O(n/32)
//
// The tree is a B+tree of fan-out 32 that is not rebalanced: Delete drops a
// node only when it is empty. A map that most of its entries were deleted from
// keeps its height and its sparse nodes, so for that map read log n as h, and n
// as n·h for All. Collect(m.All()) packs it again.
//
// # Memory
//
// A leaf stores its values in line and Set copies one leaf, up to 32 values;
// use a pointer for a large V. What a value points to is shared by every map
// that holds the value and must be treated as read-only. The string of a
// deleted key can stay referenced as a separator inside the tree.
//
// # Concurrency
//
// Nothing reachable from a Map is written after the Map is returned. Any number
// of goroutines may read one map and derive further maps from it at the same
// time, without synchronization. Only a shared variable of type Map needs
// the usual protection while it is assigned.
package ordered
