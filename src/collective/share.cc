#include "collective/share.h"

namespace longshore {

Share share_of(const Access& access, const Status& ready) {
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
  share.alone = access.view.tile().monotone() ? 0 : 1;
  return share;
}

}  // namespace longshore
