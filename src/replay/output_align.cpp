#include "replay/output_align.h"

#include <algorithm>
#include <optional>

namespace faultline::replay {
namespace {

constexpr size_t kLookAhead = 48; // fields that may be left out to find the way again
constexpr size_t kAnchor = 16;    // bytes that must fit there, if so many are known
constexpr uint64_t kWindows[] = {4096, 65536, ~uint64_t(0)};
constexpr int kWholeSearches = 16; // the last window is for the lost, and dear
constexpr uint64_t kShortAnchor = 64;

class Aligner {
public:
  Aligner(std::string_view written, uint64_t start, std::span<const OutputQueue> queues, uint32_t stream)
      : written_(written), at_(start), queues_(queues), heads_(queues.size()) {
    for (uint32_t q = 0; q < queues.size(); ++q)
      if (queues[q].stream == stream) order_.push_back(q);
  }

  Alignment run() {
    while (at_ < written_.size() && (matchNext() || findAgain())) {
    }
    if (at_ < written_.size()) giveRest();
    for (uint32_t q : order_)
      for (; heads_[q] < queues_[q].fields.size(); ++heads_[q]) leaveUnwritten(q, heads_[q], 0);
    return std::move(out_);
  }

private:
  const QueuedField* head(uint32_t q) const {
    return heads_[q] < queues_[q].fields.size() ? &queues_[q].fields[heads_[q]] : nullptr;
  }

  // The queue that went on last goes on first.
  bool matchNext() {
    for (bool partly : {false, true})
      for (size_t k = 0; k < order_.size(); ++k) {
        if (!match(order_[k], partly)) continue;
        std::rotate(order_.begin(), order_.begin() + ptrdiff_t(k), order_.begin() + ptrdiff_t(k) + 1);
        return true;
      }
    return false;
  }

  bool match(uint32_t q, bool partly) {
    while (head(q) && head(q)->isKnown && head(q)->length == 0) ++heads_[q];
    const QueuedField* f = head(q);
    if (!f || !f->isKnown) return false;
    std::optional<std::string_view> best;
    if (fits(queues_[q].textOf(*f), partly)) best = queues_[q].textOf(*f);
    // Of several that fit the longest: "2" fits where "2.5" was written.
    if (f->others != kNoField)
      for (const std::string& other : queues_[q].others[f->others])
        if (fits(other, partly) && (!best || other.size() > best->size())) best = other;
    return best && take(q, *best, partly);
  }

  // Partly: what was written ends within the field, as a buffer that was flushed when full.
  bool fits(std::string_view text, bool partly) const {
    std::string_view rest = written_.substr(at_);
    return partly ? rest.size() < text.size() && text.starts_with(rest) : rest.starts_with(text);
  }
  bool take(uint32_t q, std::string_view text, bool partly) {
    uint64_t length = std::min(written_.size() - at_, text.size());
    auto field = uint32_t(heads_[q]++);
    out_.spans.push_back({at_, at_ + length, q, field, true});
    at_ += length;
    if (partly) leaveUnwritten(q, field, uint32_t(length));
    return true;
  }

  struct Place {
    uint32_t queue;
    size_t field;
    uint64_t at;
    uint64_t cost;
  };

  // Where fields that are known fit again, with the least left out.
  bool findAgain() {
    std::optional<Place> best;
    for (uint64_t window : kWindows) {
      if (window == kWindows[2] && ++wholeSearches_ > kWholeSearches) break;
      for (uint32_t q : order_) lookInQueue(q, window, best);
      if (best) break;
    }
    if (!best) return skipLost();
    giveGap(*best);
    heads_[best->queue] = best->field;
    at_ = best->at;
    return true;
  }

  void lookInQueue(uint32_t q, uint64_t window, std::optional<Place>& best) {
    const std::vector<QueuedField>& fields = queues_[q].fields;
    uint64_t leftOut = 0;
    for (size_t k = heads_[q]; k < std::min(fields.size(), heads_[q] + kLookAhead); ++k) {
      std::string anchor = anchorAt(q, k);
      uint64_t penalty = leftOut + (anchor.size() < 3 ? kShortAnchor : 0);
      if (!anchor.empty() && (!best || penalty < best->cost)) {
        // The first field does not fit here, though its beginning may.
        uint64_t room = std::min<uint64_t>(written_.size() - at_, window);
        size_t found = written_.substr(at_, room).find(anchor, k == heads_[q] ? 1 : 0);
        if (found != std::string_view::npos && (!best || penalty + found < best->cost))
          best = Place{q, k, at_ + found, penalty + found};
      }
      leftOut += fields[k].isKnown ? fields[k].length : 0;
    }
  }

  std::string anchorAt(uint32_t q, size_t k) const {
    std::string anchor;
    const OutputQueue& queue = queues_[q];
    for (; k < queue.fields.size() && anchor.size() < kAnchor; ++k) {
      const QueuedField& f = queue.fields[k];
      if (!f.isKnown || f.others != kNoField) break;
      // The one that should be here may well begin as what is here: all of it has to fit elsewhere.
      anchor += queue.textOf(f).substr(0, k == heads_[q] ? std::string_view::npos : kAnchor);
      if (f.length > kAnchor) break;
    }
    return anchor;
  }

  // Bytes that no field fitted: those of the fields left out, if there is no doubt which.
  void giveGap(const Place& place) {
    if (place.at == at_) return;
    size_t first = heads_[place.queue];
    const std::vector<QueuedField>& fields = queues_[place.queue].fields;
    // A text that outside code has made, and that nobody has read, looks empty to us.
    if (first == place.field && first > 0 && fields[first - 1].length == 0 && fields[first - 1].argument) {
      out_.spans.push_back({at_, place.at, place.queue, uint32_t(first - 1), false});
      return;
    }
    bool oneCall = first < place.field && fields[first].call == fields[place.field - 1].call;
    auto unknown = std::find_if(fields.begin() + ptrdiff_t(first), fields.begin() + ptrdiff_t(place.field),
                                [](const QueuedField& f) { return !f.isKnown; });
    size_t which =
        unknown != fields.begin() + ptrdiff_t(place.field) ? size_t(unknown - fields.begin()) : first;
    out_.spans.push_back({at_, place.at, place.queue, oneCall ? uint32_t(which) : kNoField, false});
  }

  // Nothing that comes soon is found anywhere: go on behind it.
  bool skipLost() {
    bool more = false;
    for (uint32_t q : order_) {
      size_t left = queues_[q].fields.size() - heads_[q];
      if (left <= kLookAhead) continue;
      heads_[q] += kLookAhead;
      more = true;
    }
    return more;
  }

  // The end that nothing fits: of the one field that is left, or of unknown origin.
  void giveRest() {
    uint32_t queue = 0, field = kNoField;
    size_t left = 0;
    for (uint32_t q : order_) {
      left += queues_[q].fields.size() - heads_[q];
      if (const QueuedField* f = head(q)) queue = q, field = f->isKnown ? field : uint32_t(heads_[q]);
    }
    if (left != 1) field = kNoField;
    if (field != kNoField) ++heads_[queue];
    out_.spans.push_back({at_, written_.size(), queue, field, false});
    at_ = written_.size();
  }

  void leaveUnwritten(uint32_t q, size_t field, uint32_t from) {
    const QueuedField& f = queues_[q].fields[field];
    if (f.isKnown && f.length > from) out_.unwritten.push_back({q, uint32_t(field), from});
  }

  std::string_view written_;
  uint64_t at_;
  std::span<const OutputQueue> queues_;
  std::vector<size_t> heads_;
  std::vector<uint32_t> order_; // of this stream, the last used first
  int wholeSearches_ = 0;
  Alignment out_;
};

} // namespace

Alignment alignOutput(std::string_view written, uint64_t start, std::span<const OutputQueue> queues,
                      uint32_t stream) {
  return Aligner(written, start, queues, stream).run();
}

} // namespace faultline::replay
