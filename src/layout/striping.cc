#include "layout/striping.h"

#include <algorithm>

#include "layout/beegfs.h"
#include "layout/cephfs.h"
#include "layout/gpfs.h"
#include "layout/lustre.h"

namespace longshore {

namespace {

// A folder's name as open(2) takes it.
std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

FileSystem kind_by_magic(uint64_t magic) {
  switch (magic) {
    case kLustreMagic: return FileSystem::kLustre;
    case kGpfsMagic: return FileSystem::kGpfs;
    case kBeegfsMagic: return FileSystem::kBeegfs;
    case kCephMagic: return FileSystem::kCephfs;
    default: return FileSystem::kPlain;
  }
}

// CephFS through FUSE has FUSE's number; it is known by its attributes.
FileSystem kind_of(Probe& probe, const std::string& path, const FileSystemFacts& facts) {
  if (facts.magic != kFuseMagic) {
    return kind_by_magic(facts.magic);
  }
  auto file = probe.open(path);
  return file && is_cephfs(**file) ? FileSystem::kCephfs : FileSystem::kPlain;
}

Result<Layout> read_striped(Probe& probe, const std::string& path, FileSystem kind,
                            const FileSystemFacts& facts) {
  if (kind == FileSystem::kGpfs) {
    return gpfs_layout(facts.block_bytes);
  }
  auto file = probe.open(path);
  if (!file) {
    return fail(file.error());
  }
  switch (kind) {
    case FileSystem::kLustre: return read_lustre(**file);
    case FileSystem::kBeegfs: return read_beegfs(**file);
    case FileSystem::kCephfs: return read_cephfs(**file);
    default: return fail(ErrorClass::kIntern, "no striped file system");
  }
}

// Makes the file; an error if nothing was made. What the file system says to the striping goes to
// `set`.
Status create_on(FileSystem kind, Probe& probe, const NewFile& file, Status& set) {
  const StripingWish& wish = file.wish;
  if (kind == FileSystem::kBeegfs) {
    auto folder = probe.open(folder_of(file.path));
    const std::string leaf = file.path.substr(file.path.rfind('/') + 1);
    const int permissions = file.permissions & ~probe.denied_permissions();
    return folder ? create_on_beegfs(**folder, leaf, wish.unit_bytes, wish.factor, permissions)
                  : fail(folder.error());
  }
  const bool lustre = kind == FileSystem::kLustre;
  auto made = probe.create(file.path, lustre ? kLustreDelayCreate : 0, file.permissions);
  if (!made) {
    return fail(made.error());
  }
  set = lustre ? set_lustre(**made, wish.unit_bytes, wish.factor, wish.start_device)
               : set_cephfs(**made, wish.unit_bytes, wish.factor);
  return {};
}

}  // namespace

const char* describe(StripingOutcome outcome) {
  switch (outcome) {
    case StripingOutcome::kNotAsked: return "default";
    case StripingOutcome::kSet: return "set";
    case StripingOutcome::kAdjusted: return "adjusted by the file system";
    case StripingOutcome::kRefused: return "refused by the file system";
    case StripingOutcome::kFileExisted: return "not settable: the file existed";
    case StripingOutcome::kNotSettable: return "not settable on this file system";
  }
  return "default";
}

Creation create_striped(Probe& probe, const NewFile& file) {
  Creation creation;
  if (!file.wish.any()) {
    return creation;
  }
  creation.outcome = StripingOutcome::kNotSettable;
  const std::string folder = folder_of(file.path);
  const auto facts = probe.file_system(folder);
  const FileSystem kind = facts ? kind_of(probe, folder, *facts) : FileSystem::kPlain;
  if (kind == FileSystem::kPlain || kind == FileSystem::kGpfs) {
    return creation;
  }
  Status set;
  const Status made = create_on(kind, probe, file, set);
  creation.created = made.has_value();
  if (made && set) {
    creation.outcome = StripingOutcome::kSet;
  } else if (!made && made.error().code == ErrorClass::kFileExists) {
    creation.outcome = StripingOutcome::kFileExisted;
  } else {
    creation.outcome = StripingOutcome::kRefused;
    creation.refusal = made ? set.error() : made.error();
  }
  return creation;
}

Layout read_layout(Probe& probe, const std::string& path, Error* trouble) {
  const auto facts = probe.file_system(path);
  if (!facts) {
    return {};
  }
  Layout plain = plain_layout(facts->block_bytes, 0, 0);
  const FileSystem kind = kind_of(probe, path, *facts);
  if (kind == FileSystem::kPlain) {
    return plain;
  }
  auto layout = read_striped(probe, path, kind, *facts);
  if (layout) {
    return *layout;
  }
  if (trouble != nullptr) {
    *trouble = layout.error();
  }
  return plain;
}

StripingOutcome outcome_of(const StripingWish& wish, const Creation& creation,
                           const Layout& layout) {
  if (!wish.any()) {
    return StripingOutcome::kNotAsked;
  }
  if (creation.outcome == StripingOutcome::kNotAsked) {  // not even tried: the file is opened only
    const bool settable = layout.map != nullptr;
    return settable ? StripingOutcome::kFileExisted : StripingOutcome::kNotSettable;
  }
  if (creation.outcome != StripingOutcome::kSet) {
    return creation.outcome;
  }
  const bool same = (wish.unit_bytes <= 0 || wish.unit_bytes == layout.unit_bytes()) &&
                    (wish.factor <= 0 || wish.factor == layout.factor()) &&
                    (wish.start_device < 0 || wish.start_device == layout.device_of(0));
  return same && layout.map ? StripingOutcome::kSet : StripingOutcome::kAdjusted;
}

}  // namespace longshore
