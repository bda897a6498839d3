// SPDX-License-Identifier: Apache-2.0
// Never compiled: its target only carries the flags that the other files here are compiled with.
