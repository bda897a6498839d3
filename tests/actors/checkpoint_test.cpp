// SPDX-License-Identifier: Apache-2.0
#include "codec_types.hpp"
#include "error_of.hpp"

#include <callboard/checkpoint.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace callboard::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Message = google::protobuf::Timestamp;

/// What storing and loading does to a checkpoint: the same bytes, each value's in one piece of
/// memory that begins `misaligned` bytes behind an aligned address.
Checkpoint moved(const Checkpoint& checkpoint, std::size_t misaligned = 0) {
  Checkpoint::Values values;
  for (const auto& [name, value] : checkpoint.values()) {
    auto memory = std::make_shared<std::vector<std::byte>>(misaligned);
    for (const auto piece : value.pieces()) {
      memory->insert(memory->end(), piece.begin(), piece.end());
    }
    const std::span<const std::byte> bytes(*memory);
    values.try_emplace(name, value.layout(), bytes.subspan(misaligned), memory);
  }
  return Checkpoint(std::move(values));
}

template <class T>
void expect_round_trip(const T& value) {
  Checkpoint checkpoint;
  checkpoint.put("value", value);
  EXPECT_EQ(checkpoint.get<T>("value"), value) << type_name<T>();
  EXPECT_EQ(moved(checkpoint).get<T>("value"), value) << type_name<T>();
  EXPECT_EQ(checkpoint.byte_size(), encoded(value).size()) << type_name<T>();
}

template <class... T>
void expect_round_trips() {
  const auto each = []<class V>(const std::vector<V>& samples) {
    for (const V& sample : samples) {
      expect_round_trip(sample);
    }
  };
  (each(Samples<T>::get()), ...);
}

TEST(CheckpointTest, BringsBackValuesOfEveryKind) {
  expect_round_trips<
      bool,
      int,
      double,
      long double,
      Colour,
      Code,
      std::string,
      Numbers,
      Words,
      Flags,
      std::list<Config>,
      std::set<std::string>,
      Map,
      HashMap,
      Floats3,
      Tuple,
      std::optional<Strict>,
      Variant,
      std::chrono::milliseconds,
      SystemTime,
      Config,
      Arrays,
      Node,
      Point,
      Strict,
      Box<Map>>();
}

TEST(CheckpointTest, BringsBackMessagesAndSharedValues) {
  Message message;
  message.set_seconds(7);
  Checkpoint checkpoint;
  checkpoint.put("message", message);
  checkpoint.put("shared", std::make_shared<const Words>(Words{"a", "b"}));
  EXPECT_EQ(moved(checkpoint).get<Message>("message").seconds(), 7);
  EXPECT_EQ(*moved(checkpoint).get<std::shared_ptr<const Words>>("shared"), (Words{"a", "b"}));
}

TEST(CheckpointTest, BringsBackTensorsOfEveryDtype) {
  for (int dtype = 1; is_known(static_cast<DType>(dtype)); ++dtype) {
    for (const Shape& shape : {Shape(), Shape(0), Shape(5), Shape(3, 0), Shape(2, 3)}) {
      Tensor tensor(static_cast<DType>(dtype), shape);
      std::ranges::fill(tensor.mutable_bytes(), std::byte{1});
      expect_round_trip(tensor);
      Checkpoint checkpoint;
      checkpoint.put("tensor", tensor);
      EXPECT_EQ(moved(checkpoint, 1).get<Tensor>("tensor"), tensor);
    }
  }
}

TEST(CheckpointTest, KeepsATensorAsItWasWithoutACopy) {
  Tensor weights = Tensor::from<float>({1, 2, 3});
  Checkpoint checkpoint;
  checkpoint.put("weights", weights);
  EXPECT_TRUE(checkpoint.get<Tensor>("weights").shares_memory_with(weights));
  weights.mutable_data<float>()[0] = 7;
  EXPECT_EQ(checkpoint.get<Tensor>("weights"), Tensor::from<float>({1, 2, 3}));
}

TEST(CheckpointTest, PacksAViewOfATensor) {
  const Tensor view = Tensor::from<int>({1, 2, 3, 4, 5, 6}, {2, 3}).transpose();
  expect_round_trip(view);
}

TEST(CheckpointTest, GivesATensorThatMayBeWritten) {
  Checkpoint saved;
  saved.put("weights", Tensor::from<double>({1, 2}));
  const Checkpoint loaded = moved(saved);
  Tensor weights = loaded.get<Tensor>("weights");
  weights.mutable_data<double>()[1] = 7;
  EXPECT_EQ(weights, Tensor::from<double>({1, 7}));
  EXPECT_EQ(loaded.get<Tensor>("weights"), Tensor::from<double>({1, 2}));
}

TEST(CheckpointTest, ATensorOutlivesItsCheckpoint) {
  std::optional<Checkpoint> checkpoint(std::in_place);
  checkpoint->put("weights", Tensor::from<double>({1, 2}));
  checkpoint = moved(*checkpoint);
  const Tensor weights = checkpoint->get<Tensor>("weights");
  checkpoint.reset();
  EXPECT_EQ(weights, Tensor::from<double>({1, 2}));
}

/// A tensor under another type's name.
struct Weights {
  Tensor tensor;
};

} // namespace
} // namespace callboard::test

template <>
struct callboard::Codec<callboard::test::Weights> {
  static void encode(Encoder& encoder, const test::Weights& weights) {
    callboard::encode(encoder, weights.tensor);
  }
  static test::Weights decode(Decoder& decoder) { return {callboard::decode<Tensor>(decoder)}; }
  static std::string layout() { return callboard::layout<Tensor>(); }
};

namespace callboard::test {
namespace {

TEST(CheckpointTest, GivesATensorToWhoeverHasItsLayout) {
  Checkpoint checkpoint;
  checkpoint.put("weights", Tensor::from<int>({1, 2}));
  EXPECT_EQ(checkpoint.get<Weights>("weights").tensor, Tensor::from<int>({1, 2}));
}

TEST(CheckpointTest, ListsItsNamesInOrder) {
  Checkpoint checkpoint;
  EXPECT_THAT(checkpoint.names(), IsEmpty());
  checkpoint.put("weights", 1);
  checkpoint.put("bias", std::string());
  EXPECT_THAT(checkpoint.names(), ElementsAre("bias", "weights"));
  EXPECT_TRUE(checkpoint.contains("bias"));
  EXPECT_FALSE(checkpoint.contains("bia"));
}

TEST(CheckpointTest, NamesWhatIsThereForAMissingValue) {
  Checkpoint checkpoint;
  EXPECT_EQ(
      error_of([&] { return checkpoint.get<int>("steps"); }).message,
      "the checkpoint has no value \"steps\"; it has none");
  checkpoint.put("step", 1);
  checkpoint.put("bias", 2);
  const Error error = error_of([&] { return checkpoint.get<int>("steps"); });
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(error.message, "the checkpoint has no value \"steps\"; it has \"bias\", \"step\"");
}

TEST(CheckpointTest, NamesBothLayoutsForAWrongType) {
  Checkpoint checkpoint;
  checkpoint.put("weights", std::vector<double>{1});
  std::vector<float> weights{7};
  const Error error = error_of([&] {
    checkpoint.get_into("weights", weights);
    return 0;
  });
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_THAT(
      error.message,
      HasSubstr("value \"weights\" of the checkpoint is \"[f64]\", and is asked for as \"[f32]\""));
  EXPECT_THAT(weights, ElementsAre(7));
}

TEST(CheckpointTest, NamesTheValueWhoseBytesAreWrong) {
  Checkpoint::Values values;
  const auto bytes = std::make_shared<const std::vector<std::byte>>(3);
  values.try_emplace("steps", "i32", *bytes, bytes);
  values.try_emplace("weights", "Tensor v1", *bytes, bytes);
  const Checkpoint checkpoint(std::move(values));
  for (const Error& error : {error_of([&] { return checkpoint.get<int>("steps"); }), error_of([&] {
                               return checkpoint.get<Tensor>("weights");
                             })}) {
    EXPECT_EQ(error.code, Code::malformed);
    EXPECT_THAT(error.message, HasSubstr("of the checkpoint: malformed bytes at offset"));
  }
}

TEST(CheckpointTest, RefusesASecondValueOfOneName) {
  Checkpoint checkpoint;
  checkpoint.put("steps", 1);
  EXPECT_EQ(error_of([&] { return checkpoint.put("steps", 2), 0; }).code, Code::already_exists);
  EXPECT_EQ(error_of([&] { return checkpoint.put("", 2), 0; }).code, Code::invalid_argument);
  EXPECT_EQ(checkpoint.get<int>("steps"), 1);
}

TEST(CheckpointTest, ACopyIsAValueOfItsOwn) {
  Checkpoint checkpoint;
  checkpoint.put("steps", 1);
  Checkpoint copy = checkpoint;
  copy.put("more", 2);
  EXPECT_THAT(checkpoint.names(), ElementsAre("steps"));
  EXPECT_EQ(copy.get<int>("steps"), 1);
}

class Counter {
public:
  void save(Checkpoint& checkpoint) const { checkpoint.put("count", count); }
  void restore(const Checkpoint& checkpoint) { checkpoint.get_into("count", count); }
  int count = 0;
};

class Impatient {
public:
  void save(Checkpoint& checkpoint) { checkpoint.put("saves", ++saves); }
  void restore(const Checkpoint& checkpoint) { checkpoint.get_into("saves", saves); }
  int saves = 0;
};

class Stateless {
public:
  void save(const std::string& file) const;
};

static_assert(Checkpointed<Counter> && Checkpointed<Impatient> && !Checkpointed<Stateless>);
static_assert(detail::checkpoint_hooks<Stateless>().save == nullptr);
static_assert(detail::checkpoint_hooks<Stateless>().restore == nullptr);

template <class S>
S through_hooks(S& service) {
  constexpr detail::CheckpointHooks hooks = detail::checkpoint_hooks<S>();
  Checkpoint checkpoint;
  hooks.save(&service, checkpoint);
  S revived;
  hooks.restore(&revived, checkpoint);
  return revived;
}

TEST(CheckpointTest, ServicesAreSavedAndRestoredWithoutTheirType) {
  Counter counter{.count = 7};
  EXPECT_EQ(through_hooks(counter).count, 7);
  Impatient impatient;
  EXPECT_EQ(through_hooks(impatient).saves, 1);
}

} // namespace
} // namespace callboard::test
