#include <algorithm>

#include "layout/layout.h"

namespace longshore {

Layout plain_layout(int64_t block_bytes, int64_t hinted_stripe_bytes, int64_t hinted_targets) {
  Layout layout;
  layout.striped = hinted_stripe_bytes > 0;
  layout.stripe_bytes = std::max<int64_t>(1, layout.striped ? hinted_stripe_bytes : block_bytes);
  layout.targets = static_cast<int>(std::max<int64_t>(1, hinted_targets));
  return layout;
}

}  // namespace longshore
