// Result<T>: a value, or an Error that a person can act on. Everything below cli/ reports failure this way;
// only cli/ prints and exits.
//
//   Result<File> f = openFile(path);
//   if (!f) return f.error();          // or: FL_TRY(file, openFile(path));
#pragma once

#include <cassert>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace faultline {

// One line on what is wrong and what to do about it.
struct Error {
  std::string message;
};

template <class... Args> Error errorf(fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...)};
}

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& value() {
    assert(*this);
    return std::get<0>(state_);
  }
  const T& value() const {
    assert(*this);
    return std::get<0>(state_);
  }
  const Error& error() const {
    assert(!*this);
    return std::get<1>(state_);
  }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  const Error& error() const {
    assert(error_);
    return *error_;
  }

private:
  std::optional<Error> error_;
};

} // namespace faultline

#define FL_CONCAT_(a, b) a##b
#define FL_CONCAT(a, b) FL_CONCAT_(a, b)
// Declares `name` as the value of `expression`, or returns its error to the caller.
#define FL_TRY(name, expression)                                                                             \
  auto FL_CONCAT(fl_try_, __LINE__) = (expression);                                                          \
  if (!FL_CONCAT(fl_try_, __LINE__)) return FL_CONCAT(fl_try_, __LINE__).error();                            \
  auto name = std::move(*FL_CONCAT(fl_try_, __LINE__))
// The same for an expression without a value.
#define FL_CHECK(expression)                                                                                 \
  if (auto fl_check = (expression); !fl_check) return fl_check.error()
