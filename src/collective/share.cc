#include "collective/share.h"

namespace longshore {

Share share_of(const Access& access, const Status& ready, bool direct) {
  Share share;
  if (!ready) {
    share.error = ready.error().code;
    return share;
  }
  if (access.bytes() == 0) {
    return share;
  }
  share.first = access.first;
  share.last = access.last;
  share.hull = access.view.hull_of(access.first, access.last);
  share.view = access.view.fingerprint();
  if (direct) {
    share.standing = Standing::kNeedsNoHelp;
  } else if (!access.view.tile().monotone()) {
    share.standing = Standing::kCannotBeServed;
  }
  return share;
}

}  // namespace longshore
