// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// The coroutines and threads that are ready, oldest first.
public interface Candidates {
  int size();

  /// A number that stands for the same coroutine or thread throughout a run: that of a coroutine is
  /// positive, that of a thread negative; zero is the loop itself.
  long id(int place);
}
