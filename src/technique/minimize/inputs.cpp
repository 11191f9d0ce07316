#include "technique/minimize/inputs.h"

#include <algorithm>

namespace faultline::technique {

std::string InputSource::text() const {
  switch (kind) {
  case StandardInput:
    return "standard input";
  case File:
    return "file " + name;
  case Argument:
    return fmt::format("argument {}", argument);
  case Variable:
    return "variable " + name;
  }
  return "";
}

size_t sizeOf(const InputSet& inputs) {
  size_t size = 0;
  for (const InputSource& s : inputs)
    if (s.isPresent) size += s.bytes.size() + (s.kind == InputSource::Variable ? s.name.size() + 1 : 0);
  return size;
}

TrialKey keyOf(const InputSet& inputs) {
  TrialKey key;
  for (const InputSource& s : inputs) {
    TrialKey one = keyOf(std::string_view(s.isPresent ? s.bytes : std::string()),
                         key.low * 31 + key.high + (s.isPresent ? 1 : 2));
    key = {one.high ^ key.low, one.low};
  }
  return key;
}

experiment::RunSpec applied(experiment::RunSpec run, const InputSet& inputs) {
  std::vector<size_t> gone;
  for (const InputSource& s : inputs) {
    switch (s.kind) {
    case InputSource::StandardInput:
      run.input = s.bytes;
      break;
    case InputSource::File:
      std::erase_if(run.files, [&](const experiment::FileContent& f) { return f.path == s.path; });
      run.files.push_back({s.path, s.bytes});
      break;
    case InputSource::Argument:
      if (!s.isPresent)
        gone.push_back(s.argument);
      else if (s.argument < run.argv.size())
        run.argv[s.argument] = s.bytes;
      break;
    case InputSource::Variable: {
      std::string start = s.name + "=";
      auto at = std::ranges::find_if(run.env, [&](const std::string& e) { return e.starts_with(start); });
      if (at == run.env.end()) break;
      if (s.isPresent)
        *at = start + s.bytes;
      else
        run.env.erase(at);
      break;
    }
    }
  }
  std::ranges::sort(gone, std::greater());
  for (size_t k : gone)
    if (k < run.argv.size()) run.argv.erase(run.argv.begin() + ptrdiff_t(k));
  return run;
}

std::vector<Part> partsOf(const InputSet& inputs, const Unit& unit, bool cutsAll) {
  std::vector<Part> out;
  for (uint32_t k = 0; k < inputs.size(); ++k) {
    const InputSource& s = inputs[k];
    if (!s.isPresent) continue;
    if (s.canBeAbsent()) {
      bool isWhole = unit.kind == Unit::Whole || s.isFixed;
      out.push_back({k, {0, isWhole ? s.bytes.size() : 0}, true});
      if (isWhole) continue;
    }
    bool isForText = unit.kind != Unit::Whole && unit.kind != Unit::Bytes && unit.kind != Unit::Separated;
    if (isForText && !cutsAll && !isText(s.bytes)) continue;
    for (const Piece& piece : cutInto(s.bytes, unit)) out.push_back({k, piece, false});
  }
  return out;
}

// How many of the numbers from `from` on are kept without a gap; `at`: the first that is kept from there on.
static uint32_t keptInARow(const Subset& kept, size_t at, uint32_t from) {
  auto isKept = [&](size_t many) {
    return at + many <= kept.size() && kept[at + many - 1] == from + many - 1;
  };
  if (!isKept(1)) return 0;
  size_t known = 1, beyond = 2;
  for (; isKept(beyond); beyond *= 2) known = beyond;
  while (beyond - known > 1) {
    size_t middle = known + (beyond - known) / 2;
    (isKept(middle) ? known : beyond) = middle;
  }
  return uint32_t(known);
}

InputSet keptOf(const InputSet& inputs, const std::vector<Part>& parts, const Subset& kept) {
  InputSet out = inputs;
  for (InputSource& s : out) s.bytes.clear();
  std::vector<size_t> done(inputs.size(), 0); // of each source, how far it was dealt with
  auto copyTo = [&](uint32_t source, size_t end) {
    if (end > done[source]) out[source].bytes.append(inputs[source].bytes, done[source], end - done[source]);
    done[source] = std::max(done[source], end);
  };
  size_t next = 0;
  for (uint32_t k = 0; k < parts.size(); ++k) {
    const uint32_t row = keptInARow(kept, next, k);
    next += row;
    k += row;
    if (k == parts.size()) break;
    const Part& p = parts[k];
    // Of single bytes, all up to the next that is kept at once.
    const uint32_t last = uint32_t(next < kept.size() ? kept[next] : parts.size()) - 1;
    const Part& q = parts[last];
    if (!p.isPresence && p.source == q.source && q.piece.end - p.piece.begin == last - k + 1) {
      copyTo(p.source, p.piece.begin);
      done[p.source] = std::max(done[p.source], q.piece.end);
      k = last;
      continue;
    }
    copyTo(p.source, p.piece.begin);
    done[p.source] = std::max(done[p.source], p.piece.end);
    if (p.isPresence) out[p.source].isPresent = false;
  }
  for (uint32_t s = 0; s < inputs.size(); ++s) {
    copyTo(s, inputs[s].bytes.size());
    if (!out[s].isPresent) out[s].bytes.clear();
  }
  return out;
}

} // namespace faultline::technique
