// lib/json_fields.h - fields of JSON that others wrote: what is missing or of another type gives
// the default, never an exception.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace longshore::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline std::string text_field(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

[[nodiscard]] inline std::optional<double> number_field(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_number() ? std::optional(found->get<double>())
                                                   : std::nullopt;
}

[[nodiscard]] inline bool flag_field(const Json& json, const char* key, bool otherwise) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

// Rounded; the default for what an int64_t cannot hold.
[[nodiscard]] inline int64_t integer_field(const Json& json, const char* key,
                                           int64_t otherwise = 0) {
  constexpr double kMost = 9e18;
  const auto number = number_field(json, key);
  return number && *number > -kMost && *number < kMost ? static_cast<int64_t>(*number) : otherwise;
}

// As words: {"a":1,"b":["x","y"]} is "a 1, b [\"x\",\"y\"]".
[[nodiscard]] inline std::string plain(const Json& value) {
  if (!value.is_structured()) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  std::string text;
  for (const auto& item : value.items()) {
    const bool nested = item.value().is_structured();
    text += value.is_array() ? (text.empty() ? "" : "; ")
                             : (text.empty() ? "" : ", ") + item.key() + " ";
    text += nested && !value.is_array() ? item.value().dump() : plain(item.value());
  }
  return text;
}

// The entries of an object, each as words; nothing if there is no such object.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> facts_field(const Json& json,
                                                                                  const char* key) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (found != json.end() && found->is_object()) {
    for (const auto& item : found->items()) {
      facts.emplace_back(item.key(), plain(item.value()));
    }
  }
  return facts;
}

}  // namespace longshore::cli
