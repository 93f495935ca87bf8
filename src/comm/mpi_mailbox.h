// comm/mpi_mailbox.h - Mailbox over a duplicate communicator of its own, by matched probes.
#pragma once
#include <mpi.h>

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/communicator.h"
#include "comm/mailbox.h"
#include "comm/rivals.h"

namespace longshore {

class MpiMailbox final : public Mailbox {
 public:
  // Collective over `group`, whose handle `parent` is. Fails alike on all ranks; with
  // kUnsupportedOperation if on some rank only one thread at a time may call MPI, or windows are
  // in the way.
  [[nodiscard]] static Result<std::unique_ptr<MpiMailbox>> make(Communicator& group,
                                                                MPI_Comm parent);
  // Frees its communicator, as the owner does its own: collective.
  ~MpiMailbox() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] Status post(Channel channel, int to, std::shared_ptr<Parcel> parcel) override;
  [[nodiscard]] Result<bool> poll(Channel channel, const Handler& handler) override;
  [[nodiscard]] Result<bool> progress() override;

 private:
  // The message that a channel is taking.
  struct Incoming {
    std::mutex mutex;
    MPI_Request request = MPI_REQUEST_NULL;
    bool active = false;
    int from = 0;
    RawBuffer memory;
    std::span<std::byte> bytes;
  };
  MpiMailbox() = default;
  [[nodiscard]] Result<bool> begin_to_take(Channel channel, Incoming& incoming);

  Rivals::Ticket ticket_{Rivals::mailboxes};
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::array<Incoming, kChannels> incoming_;

  // What is under way; equal lengths.
  struct Sends {
    std::vector<MPI_Request> requests;
    std::vector<std::shared_ptr<Parcel>> parcels;
  };
  std::mutex sending_;  // the following
  std::unique_ptr<Sends> sends_ = std::make_unique<Sends>();
  std::vector<int> finished_;
};

}  // namespace longshore
