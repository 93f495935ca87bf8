#include "storage/faulty.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace longshore {

namespace {

constexpr int64_t kNsPerMs = 1'000'000;

int64_t total_bytes(std::span<const IoPiece> pieces) {
  int64_t total = 0;
  for (const IoPiece& piece : pieces) {
    total += piece.length;
  }
  return total;
}

// How many bytes come before the first at or behind `offset`; nothing if there is no such byte.
std::optional<int64_t> bytes_before(int64_t offset, std::span<const IoPiece> pieces) {
  int64_t before = 0;
  for (const IoPiece& piece : pieces) {
    if (piece.length > 0 && piece.length > offset - piece.offset) {
      return before + std::max<int64_t>(0, offset - piece.offset);
    }
    before += piece.length;
  }
  return std::nullopt;
}

// After how many bytes the rule ends a transfer that has `before` bytes before the rule's offset.
int64_t cut_at(const FaultRule& rule, int64_t before) {
  const int64_t by_offset = rule.from_offset ? before : std::numeric_limits<int64_t>::max();
  return std::min(by_offset, rule.keep_bytes.value_or(rule.from_offset ? before : 0));
}

std::vector<IoPiece> first_bytes(std::span<const IoPiece> pieces, int64_t keep_bytes) {
  std::vector<IoPiece> kept;
  for (const IoPiece& piece : pieces) {
    kept.push_back(piece);
    kept.back().length = std::min(piece.length, keep_bytes);
    keep_bytes -= kept.back().length;
  }
  return kept;
}

const char* verb(FaultOp op) {
  switch (op) {
    case FaultOp::kOpen: return "open";
    case FaultOp::kRead: return "read";
    case FaultOp::kWrite: return "write";
    case FaultOp::kResize: return "resize";
    case FaultOp::kAllocate: return "allocate";
    case FaultOp::kSync: return "sync";
    case FaultOp::kLock: return "lock";
    case FaultOp::kSize: return "size";
    case FaultOp::kClose: return "close";
    case FaultOp::kAny: return "call";
  }
  return "call";
}

FaultOp op_of(IoKind kind) { return kind == IoKind::kRead ? FaultOp::kRead : FaultOp::kWrite; }

Error injected(int sys_errno, FaultOp op) {
  return errno_error(sys_errno, std::string("injected fault in ") + verb(op));
}

}  // namespace

class FaultyStorage::Pending final : public PendingIo {
 public:
  Pending(FaultyStorage& owner, Verdict verdict, IoKind kind, std::span<const IoPiece> pieces)
      : owner_(owner),
        verdict_(verdict),
        kind_(kind),
        pieces_(pieces.begin(), pieces.end()),
        due_ns_(owner.clock_.now_ns() + verdict.delay_ns),
        pending_(owner.inner().start(
            kind, first_bytes(pieces, verdict.keep_bytes.value_or(total_bytes(pieces))))) {}

  Outcome wait() override {
    Outcome outcome = pending_->wait();
    owner_.clock_.sleep_ns(due_ns_ - owner_.clock_.now_ns());
    return owner_.settle(verdict_, kind_, pieces_, std::move(outcome));
  }
  bool ready() override { return owner_.clock_.now_ns() >= due_ns_ && pending_->ready(); }
  int64_t finished_ns() const override {
    const int64_t inner = pending_->finished_ns();
    return inner == 0 ? 0 : std::max(inner, due_ns_);
  }

 private:
  FaultyStorage& owner_;
  Verdict verdict_;
  IoKind kind_;
  std::vector<IoPiece> pieces_;
  int64_t due_ns_;
  std::unique_ptr<PendingIo> pending_;
};

FaultyStorage::FaultyStorage(std::unique_ptr<Storage> inner, FaultPlan plan, Clock& clock)
    : ForwardingStorage(std::move(inner)),
      plan_(std::move(plan)),
      clock_(clock),
      seen_(plan_.rules.size(), 0) {}

FaultyStorage::Verdict FaultyStorage::judge(FaultOp op, std::span<const IoPiece> pieces) {
  Verdict verdict;
  const std::lock_guard guard(mutex_);
  for (size_t i = 0; i < plan_.rules.size(); ++i) {
    const FaultRule& rule = plan_.rules[i];
    const auto before = rule.from_offset ? bytes_before(*rule.from_offset, pieces) : 0;
    if ((rule.op != op && rule.op != FaultOp::kAny) || !before) {
      continue;
    }
    const int64_t seen = seen_[i]++;
    if (seen < rule.after || (rule.count && seen - rule.after >= *rule.count)) {
      continue;
    }
    verdict.delay_ns += rule.delay_ms * kNsPerMs;
    verdict.flip_byte = rule.flip_byte ? rule.flip_byte : verdict.flip_byte;
    const int64_t keep = cut_at(rule, *before);
    const bool reached = !rule.keep_bytes || keep < total_bytes(pieces);
    if (rule.cuts() && reached && keep < verdict.keep_bytes.value_or(keep + 1)) {
      verdict.keep_bytes = keep;
      verdict.sys_errno = rule.sys_errno;
    }
  }
  return verdict;
}

Status FaultyStorage::check(FaultOp op) {
  const Verdict verdict = judge(op, {});
  clock_.sleep_ns(verdict.delay_ns);
  if (verdict.sys_errno != 0) {
    return fail(injected(verdict.sys_errno, op));
  }
  return {};
}

Outcome FaultyStorage::transfer(IoKind kind, std::span<const IoPiece> pieces) {
  const Verdict verdict = judge(op_of(kind), pieces);
  clock_.sleep_ns(verdict.delay_ns);
  if (!verdict.keep_bytes) {
    return settle(verdict, kind, pieces, inner().transfer(kind, pieces));
  }
  Outcome outcome = inner().transfer(kind, first_bytes(pieces, *verdict.keep_bytes));
  return settle(verdict, kind, pieces, std::move(outcome));
}

std::unique_ptr<PendingIo> FaultyStorage::start(IoKind kind, std::span<const IoPiece> pieces) {
  return std::make_unique<Pending>(*this, judge(op_of(kind), pieces), kind, pieces);
}

// Adds to the true outcome of the (cut) transfer what the plan wants. An end of file or an error
// met before the cut stays as it is.
Outcome FaultyStorage::settle(const Verdict& verdict, IoKind kind, std::span<const IoPiece> pieces,
                              Outcome outcome) {
  if (verdict.flip_byte && *verdict.flip_byte < outcome.bytes) {
    flip(*verdict.flip_byte, kind, pieces);
  }
  if (outcome.ok() && verdict.keep_bytes == outcome.bytes && verdict.sys_errno != 0) {
    outcome.error = injected(verdict.sys_errno, op_of(kind));
  }
  return outcome;
}

void FaultyStorage::flip(int64_t index, IoKind kind, std::span<const IoPiece> pieces) {
  for (const IoPiece& piece : pieces) {
    if (index >= piece.length) {
      index -= piece.length;
      continue;
    }
    if (kind == IoKind::kRead) {
      piece.memory[index] ^= std::byte{1};
    } else {
      const std::byte wrong = piece.memory[index] ^ std::byte{1};
      (void)inner().write_at(piece.offset + index, {&wrong, 1});
    }
    return;
  }
}

Result<int64_t> FaultyStorage::size() {
  if (Status status = check(FaultOp::kSize); !status) {
    return fail(std::move(status.error()));
  }
  return inner().size();
}

Status FaultyStorage::resize(int64_t size_bytes) {
  Status status = check(FaultOp::kResize);
  return status ? inner().resize(size_bytes) : status;
}

Status FaultyStorage::allocate(int64_t size_bytes) {
  Status status = check(FaultOp::kAllocate);
  return status ? inner().allocate(size_bytes) : status;
}

Status FaultyStorage::sync() {
  Status status = check(FaultOp::kSync);
  return status ? inner().sync() : status;
}

Status FaultyStorage::lock(Extent range, bool exclusive) {
  Status status = check(FaultOp::kLock);
  return status ? inner().lock(range, exclusive) : status;
}

Status FaultyStorage::close() {
  Status status = check(FaultOp::kClose);
  Status closed = inner().close();
  return status ? closed : status;
}

Result<std::unique_ptr<Storage>> inject_faults(std::unique_ptr<Storage> inner, FaultPlan plan,
                                               Clock& clock) {
  for (const FaultRule& rule : plan.rules) {
    if (rule.op == FaultOp::kOpen && rule.sys_errno != 0) {
      (void)inner->close();
      return fail(injected(rule.sys_errno, FaultOp::kOpen));
    }
  }
  if (plan.rules.empty()) {
    return inner;
  }
  return std::make_unique<FaultyStorage>(std::move(inner), std::move(plan), clock);
}

}  // namespace longshore
