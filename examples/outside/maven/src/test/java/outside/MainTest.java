// SPDX-License-Identifier: Apache-2.0
package outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class MainTest {
  @Test
  void answer_onThePlatformThreadOfSurefire() {
    assertEquals(42, Main.answer());
  }

  @Test
  @ExtendWith(OnVirtualThread.class)
  void answer_onAVirtualThread() {
    assertTrue(Thread.currentThread().isVirtual());
    assertEquals(42, Main.answer());
  }
}
