// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import dev.heddle.Loop;
import dev.heddle.observe.LoopMXBean;
import org.junit.jupiter.api.Test;

/// The code in the documentation that reads what loops have counted.
class BeanSnippetsTest {
  @Test
  void mxBean() {
    // @start region=mxBean
    try (Loop<?> loop = Loop.start(() -> "done")) {
      LoopMXBean bean = loop.mxBean();
      System.out.println(bean.getName() + " has switched " + bean.getSwitches() + " times");
    }
    // @end
  }
}
