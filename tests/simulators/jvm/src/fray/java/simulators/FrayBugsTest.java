// SPDX-License-Identifier: Apache-2.0
package simulators;

import org.junit.jupiter.api.extension.ExtendWith;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.junit.junit5.FrayTestExtension;
import org.pastalab.fray.junit.junit5.annotations.FrayTest;

/// The programs under Fray, with its defaults: 1,000 iterations, real time.
@ExtendWith(FrayTestExtension.class)
class FrayBugsTest {
  @FrayTest
  void lostUpdate() throws Exception {
    Bugs.lostUpdate();
  }

  @FrayTest
  void forgottenTimeout() throws Exception {
    Bugs.forgottenTimeout();
  }

  @FrayTest
  void lockOrder() throws Exception {
    Bugs.lockOrder();
  }

  @FrayTest
  void expiredEntry() throws Exception {
    Bugs.expiredEntry();
  }

  @FrayTest
  void race() throws Exception {
    Bugs.race();
  }

  @FrayTest
  void reordering() throws Exception {
    Bugs.reordering();
  }
}

/// The same with Fray's virtual time, in which a sleep is a yield.
@ExtendWith(FrayTestExtension.class)
class FrayVirtualTimeTest {
  @FrayTest(sleepAsYield = true, systemTimeDelegateType = SystemTimeDelegateType.MOCK)
  void lostUpdate() throws Exception {
    Bugs.lostUpdate();
  }

  @FrayTest(sleepAsYield = true, systemTimeDelegateType = SystemTimeDelegateType.MOCK)
  void forgottenTimeout() throws Exception {
    Bugs.forgottenTimeout();
  }

  @FrayTest(sleepAsYield = true, systemTimeDelegateType = SystemTimeDelegateType.MOCK)
  void lockOrder() throws Exception {
    Bugs.lockOrder();
  }

  @FrayTest(sleepAsYield = true, systemTimeDelegateType = SystemTimeDelegateType.MOCK)
  void expiredEntry() throws Exception {
    Bugs.expiredEntry();
  }
}
