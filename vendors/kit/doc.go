// Package kit holds what the device models of several vendors are put together from. A model of one's own may use it too.
//
// A model embeds a [Base]; one of [Registered], [Counted] and [Divided], by how its nodes tell of devices; and [Asks], where
// containers ask in the usual way. It lists its rules with [Rules]. What is otherwise with a vendor, its model has methods for.
//
// Nothing here decides for a vendor: which parts a model uses, and in which order, is to be read in the model.
package kit
