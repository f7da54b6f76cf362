// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider;
import java.io.IOException;

/// Makes logs by [Apache Ratis](https://ratis.apache.org). The module `cluster` finds it; programs
/// do not use it.
public final class RatisNameStoreProvider implements NameStoreProvider {
  /// For `ServiceLoader`.
  public RatisNameStoreProvider() {}

  @Override
  public NameStore open(Setup setup) throws IOException {
    return RatisNameStore.open(setup);
  }
}
