#include "comm/mpi_mailbox.h"

#include <algorithm>
#include <utility>

#include "comm/mpi_communicator.h"
#include "comm/real.h"

namespace longshore {

namespace {

constexpr int64_t kMemoryKept = 128 << 10;  // a greater message's memory is given back

int tag_of(Channel channel) { return static_cast<int>(channel); }

// A file that the program forgot to close is still polled for when MPI is gone.
Status check_alive() {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  return finalized == 0 ? Status{} : fail(ErrorClass::kOther, "MPI is finalized");
}

Status check_threads() {
  return threads_may_call_mpi() ? Rivals::check_none(Rivals::windows)
                                : fail(ErrorClass::kUnsupportedOperation,
                                       "serving other ranks needs MPI_THREAD_MULTIPLE");
}

// The sanitizer for threads does not see how an MPI hands over a message that the call of another
// thread has copied into `memory`: in its builds the message moves to memory that only we touch.
#ifdef __SANITIZE_THREAD__
__attribute__((no_sanitize("thread"))) void renew_for_sanitizer(RawBuffer& memory,
                                                                std::span<std::byte>& bytes) {
  RawBuffer fresh;
  const auto copy = fresh.take(std::ssize(bytes));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const_cast<volatile std::byte&>(copy.data()[i]) = bytes.data()[i];
  }
  memory = std::move(fresh);
  bytes = copy;
}
// Nor does it see that the call of another thread is done with memory that was sent: there such
// memory is not used again, and for that never freed.
void retire_for_sanitizer(RawBuffer& memory) { std::swap(*new RawBuffer(), memory); }
#else
void renew_for_sanitizer(RawBuffer& /*memory*/, std::span<std::byte>& /*bytes*/) {}
void retire_for_sanitizer(RawBuffer& /*memory*/) {}
#endif

}  // namespace

Result<std::unique_ptr<MpiMailbox>> MpiMailbox::make(Communicator& group, MPI_Comm parent) {
  if (auto status = agree(group, check_threads()); !status) {
    return fail(status.error());
  }
  std::unique_ptr<MpiMailbox> made(new MpiMailbox());
  if (auto status = duplicate_politely(parent, &made->comm_); !status) {
    return fail(status.error());
  }
  PMPI_Comm_rank(made->comm_, &made->rank_);
  PMPI_Comm_size(made->comm_, &made->size_);
  return made;
}

MpiMailbox::~MpiMailbox() {
  if (comm_ == MPI_COMM_NULL || !check_alive()) {
    return;
  }
  // MPI may still read what is under way, so its memory is never freed. Only a file that failed
  // leaves such a thing.
  if (auto moved = progress(); !moved || !sends_->parcels.empty()) {
    (void)sends_.release();
  }
  PMPI_Comm_free(&comm_);
}

Status MpiMailbox::post(Channel channel, int to, std::shared_ptr<Parcel> parcel) {
  if (auto status = check_alive(); !status) {
    return status;
  }
  const std::lock_guard lock(sending_);
  auto* const send = channel == Channel::kRequests ? PMPI_Issend : PMPI_Isend;
  MPI_Request request = MPI_REQUEST_NULL;
  auto status = mpi_status(send(parcel->bytes.data(), static_cast<int>(parcel->bytes.size()),
                                MPI_BYTE, to, tag_of(channel), comm_, &request),
                           "message");
  if (status) {
    parcel->under_way = true;
    sends_->requests.push_back(request);
    sends_->parcels.push_back(std::move(parcel));
  }
  return status;
}

Result<bool> MpiMailbox::progress() {
  const std::unique_lock lock(sending_, std::try_to_lock);
  if (!lock || sends_->requests.empty()) {
    return false;
  }
  auto& [requests, parcels] = *sends_;
  if (auto status = check_alive(); !status) {
    return fail(status.error());
  }
  finished_.resize(requests.size());
  int count = 0;
  if (auto status = mpi_status(
          LONGSHORE_REAL(PMPI_Testsome)(static_cast<int>(requests.size()), requests.data(), &count,
                                        finished_.data(), MPI_STATUSES_IGNORE),
          "message");
      !status) {
    return fail(status.error());
  }
  if (count == 0 || count == MPI_UNDEFINED) {
    return false;
  }
  for (int i = 0; i < count; ++i) {
    auto& parcel = parcels[static_cast<size_t>(finished_[static_cast<size_t>(i)])];
    retire_for_sanitizer(parcel->memory);
    parcel->under_way = false;
    parcel = nullptr;
  }
  std::erase(parcels, nullptr);
  std::erase(requests, MPI_REQUEST_NULL);
  return true;
}

Result<bool> MpiMailbox::poll(Channel channel, const Handler& handler) {
  auto& incoming = incoming_[static_cast<size_t>(channel)];
  const std::unique_lock lock(incoming.mutex, std::try_to_lock);
  if (!lock) {
    return false;
  }
  if (auto status = check_alive(); !status) {
    return fail(status.error());
  }
  if (!incoming.active) {
    if (auto begun = begin_to_take(channel, incoming); !begun || !*begun) {
      return begun;
    }
  }
  int done = 0;
  auto status =
      mpi_status(LONGSHORE_REAL(PMPI_Test)(&incoming.request, &done, MPI_STATUS_IGNORE), "message");
  if (!status || done == 0) {
    return status ? Result<bool>(false) : fail(status.error());
  }
  incoming.active = false;
  renew_for_sanitizer(incoming.memory, incoming.bytes);
  handler(incoming.from, incoming.bytes);
  if (static_cast<int64_t>(incoming.bytes.size()) > kMemoryKept) {
    incoming.memory = RawBuffer();
  }
  return true;
}

Result<bool> MpiMailbox::begin_to_take(Channel channel, Incoming& incoming) {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status about;
  if (auto status = mpi_status(
          PMPI_Improbe(MPI_ANY_SOURCE, tag_of(channel), comm_, &there, &message, &about), "probe");
      !status || there == 0) {
    return status ? Result<bool>(false) : fail(status.error());
  }
  int bytes = 0;
  PMPI_Get_count(&about, MPI_BYTE, &bytes);
  incoming.from = about.MPI_SOURCE;
  incoming.bytes = incoming.memory.take(bytes);
  if (auto status = mpi_status(
          PMPI_Imrecv(incoming.bytes.data(), bytes, MPI_BYTE, &message, &incoming.request),
          "receive");
      !status) {
    return fail(status.error());
  }
  incoming.active = true;
  return true;
}

}  // namespace longshore
