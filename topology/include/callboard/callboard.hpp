// SPDX-License-Identifier: Apache-2.0
/// @file
/// All that a program needs.
#pragma once

#include <callboard/checkpoint.hpp>
#include <callboard/client.hpp>
#include <callboard/context.hpp>
#include <callboard/deferred.hpp>
#include <callboard/future.hpp>
#include <callboard/program.hpp>
#include <callboard/published.hpp>
#include <callboard/run.hpp>
#include <callboard/running.hpp>
#include <callboard/task.hpp>
#include <callboard/tensor.hpp>
