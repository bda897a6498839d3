// SPDX-License-Identifier: Apache-2.0
/// @file
/// The whole agent: `Trajectory`, `Sampler`, `evaluate` and `Learner`.
#pragma once

#include "learner.hpp"
#include "sampler.hpp"
#include "trajectory.hpp"
