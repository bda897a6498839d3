// SPDX-License-Identifier: Apache-2.0
/// @file
/// A node as data: a factory, registered under the name of its type, and arguments that can travel.
#pragma once

#include <callboard/context.hpp>
#include <callboard/detail/walk.hpp>
#include <callboard/handle.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace callboard::detail {

/// A service object and what to do with it.
struct ServiceInstance {
  std::shared_ptr<void> object;
  void* service = nullptr;
  std::function<void()> run{}; ///< empty for a service without a loop of its own
};

/// What an argument that holds a client is bound to: the front of the node of that name.
using Binder = std::function<std::shared_ptr<Front>(const Front& unbound)>;

/// Makes nodes of one kind. Stateless; one per service type and argument types.
struct Factory {
  std::string name; ///< service and argument types
  std::string service;
  const Interface* interface;
  bool has_run;
  ServiceInstance (*create)(Context& context, const void* arguments, const Binder& bind);
  void (*visit_clients)(const void* arguments, const std::function<void(const Front&)>& visit);
  std::vector<std::byte> (*encode)(const void* arguments);
  std::shared_ptr<const void> (*decode)(std::span<const std::byte> bytes);
  std::string (*layout)(); ///< of the arguments
};

/// Known under its name from the start of the process. @returns true
bool register_factory(const Factory& factory);
/// Null if there is none of that name.
const Factory* find_factory(const std::string& name);

template <class T>
struct IsClient : std::false_type {};
template <class S>
struct IsClient<Client<S>> : std::true_type {};

/// What `add` keeps of an argument.
template <class T>
struct Kept {
  using Type = T;
};
template <class S>
struct Kept<Handle<S>> {
  using Type = Client<S>;
};
template <class S>
struct Kept<Group<S>> {
  using Type = std::vector<Client<S>>;
};
template <class S>
struct Kept<std::vector<Handle<S>>> {
  using Type = std::vector<Client<S>>;
};
template <>
struct Kept<const char*> {
  using Type = std::string;
};
template <class T>
using KeptAs = typename Kept<std::decay_t<T>>::Type;

template <class T>
constexpr bool is_handle_list = false;
template <class S>
constexpr bool is_handle_list<std::vector<Handle<S>>> = true;

template <class To, class From>
To keep(From&& argument) {
  if constexpr (is_handle_list<std::decay_t<From>>) {
    return To(argument.begin(), argument.end());
  } else {
    return To(std::forward<From>(argument));
  }
}

template <class S>
concept HasRun = requires(S& service) {
  service.run();
};
template <class S>
concept HasRunWithContext = requires(S& service, Context& context) {
  service.run(context);
};

template <class S, class... A>
constexpr bool takes_context = std::is_constructible_v<S, Context&, A&&...>;

template <class S, class... A>
constexpr bool can_make = takes_context<S, A...> || std::is_constructible_v<S, A&&...>;

template <class S, class... A>
std::shared_ptr<S> make_service(Context& context, A&&... arguments) {
  if constexpr (takes_context<S, A...>) {
    return std::make_shared<S>(context, std::forward<A>(arguments)...);
  } else {
    return std::make_shared<S>(std::forward<A>(arguments)...);
  }
}

template <class S, class... A>
ServiceInstance create_node(Context& context, const void* kept, const Binder& bind) {
  auto arguments = *static_cast<const std::tuple<A...>*>(kept);
  walk<IsClient>(arguments, [&](auto& client) {
    if (client) {
      client.bind(bind(*client.front()));
    }
  });
  auto object = std::apply(
      [&](A&... argument) { return make_service<S>(context, std::move(argument)...); }, arguments);
  ServiceInstance instance{.object = object, .service = object.get()};
  if constexpr (HasRun<S>) {
    instance.run = [service = object.get()] { service->run(); };
  } else if constexpr (HasRunWithContext<S>) {
    instance.run = [service = object.get(), &context] { service->run(context); };
  }
  return instance;
}

template <class... A>
void visit_clients(const void* kept, const std::function<void(const Front&)>& visit) {
  walk<IsClient>(*static_cast<const std::tuple<A...>*>(kept), [&](const auto& client) {
    if (client) {
      visit(*client.front());
    }
  });
}

template <class... A>
std::vector<std::byte> encode_arguments(const void* kept) {
  return callboard::encoded(*static_cast<const std::tuple<A...>*>(kept));
}

template <class... A>
std::shared_ptr<const void> decode_arguments(std::span<const std::byte> bytes) {
  return std::make_shared<const std::tuple<A...>>(callboard::decoded<std::tuple<A...>>(bytes));
}

template <class S, class... A>
const Factory& factory_of() {
  static const Factory factory{
      .name = type_name<S>() + "(" + type_name<std::tuple<A...>>() + ")",
      .service = type_name<S>(),
      .interface = &interface_of<S>(),
      .has_run = HasRun<S> || HasRunWithContext<S>,
      .create = &create_node<S, A...>,
      .visit_clients = &visit_clients<A...>,
      .encode = &encode_arguments<A...>,
      .decode = &decode_arguments<A...>,
      .layout = &layout<std::tuple<A...>>,
  };
  return factory;
}

/// Registered before `main`, so that every process of the program knows every kind of node.
template <class S, class... A>
inline const bool registered = register_factory(factory_of<S, A...>());

/// The checks of `add` whose failure is a sentence.
template <class S, class... A>
constexpr bool check_node() {
  (static_cast<void>(callboard::detail::require_transferable<A>()), ...);
  static_assert(
      can_make<S, A...>,
      "callboard: the service can't be constructed from the arguments given to add, neither as "
      "they "
      "are nor with a leading Context&: compare them with its constructor");
  return can_make<S, A...>;
}

} // namespace callboard::detail
