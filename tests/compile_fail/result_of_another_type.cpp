// SPDX-License-Identifier: Apache-2.0
// A result holds its own type or an error, nothing that would have to be guessed.
#include <callboard/error.hpp>

#ifdef CALLBOARD_MUST_COMPILE
callboard::Result<int> rows = 5;
#else
callboard::Result<int> rows = "five";
#endif
