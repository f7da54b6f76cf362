// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Heddle;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// Test classes whose life-cycle methods fail, for [LifecycleFailureTest]; nested, so that no build
/// finds them by itself.
final class TestClassesThatFailTwice {
  private TestClassesThatFailTwice() {}

  static class AfterDeadlocks {
    @HeddleTest(seeds = 1)
    void fails() {
      throw new AssertionError("the real reason");
    }

    @AfterEach
    void waitsForEver() {
      Heddle.<String>promise("the missing reply").future().await();
    }
  }

  static class AfterDeadlocksInTheJdk {
    @HeddleTest(seeds = 1)
    void fails() {
      throw new AssertionError("the real reason");
    }

    @AfterEach
    void waitsForEver() throws InterruptedException {
      new CountDownLatch(1).await();
    }
  }

  static class BeforeFails {
    @BeforeEach
    void fails() {
      throw new AssertionError("not prepared");
    }

    @HeddleTest(seeds = 1)
    void test() {
      TestClasses.seen.add("test");
    }

    @AfterEach
    void after() {
      TestClasses.seen.add("after");
    }
  }

  static class BeforeDeadlocks {
    @BeforeEach
    void waitsForEver() {
      Heddle.<String>promise("the missing reply").future().await();
    }

    @HeddleTest(seeds = 1)
    void test() {
      TestClasses.seen.add("test");
    }
  }

  static class Checked {
    @HeddleTest(seeds = 1)
    void fails() throws IOException {
      throw new IOException("the real reason");
    }
  }

  static class BothFail {
    @HeddleTest(seeds = 1)
    void fails() {
      throw new AssertionError("the real reason");
    }

    @AfterEach
    void failsToo() {
      throw new IllegalStateException("cannot clean up");
    }
  }
}
