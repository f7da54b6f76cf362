// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.SoakOwners.Acts;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the soak takes for two owners at a time, and for a stale write.
@Tag("C6")
class SoakOwnersTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path folder;

  private SoakOwners owners() {
    return new SoakOwners(folder);
  }

  private static Acts acts(String node, long token, long from, long to) {
    return new Acts(node, "mayor", token, from * SECOND, to * SECOND);
  }

  @Test
  void owners_oneAfterTheOther_areRight() throws IOException {
    SoakOwners owners = owners();
    owners.add(acts("a", 3, 0, 5));
    owners.add(acts("b", 7, 5, 9));
    owners.add(acts("a", 9, 10, 12));
    assertThat(owners.judge()).isEmpty();
    assertThat(owners.ownerships("")).isEqualTo(3);
  }

  @Test
  void deed_afterALaterOwnerHasActed_isAnOverlap_alsoOfOneThatIsNotTheNext() throws IOException {
    SoakOwners owners = owners();
    owners.add(acts("a", 3, 0, 5));
    owners.add(acts("a", 3, 0, 11)); // the same, which has gone on
    owners.add(acts("b", 7, 12, 13));
    owners.add(acts("c", 9, 10, 14));
    assertThat(owners.judge()).hasSize(2).allMatch(it -> it.startsWith("overlap: "));
  }

  @Test
  void deed_ofANodeThatWasStopped_has100ms() throws IOException {
    SoakOwners owners = owners();
    owners.paused("a", SECOND, 20 * SECOND);
    long resumed = 20 * SECOND + 90_000_000;
    owners.add(acts("a", 3, 0, 1));
    owners.add(new Acts("a", "mayor", 3, 20 * SECOND, resumed));
    owners.add(acts("b", 7, 12, 30));
    assertThat(owners.judge()).isEmpty();
    owners.add(new Acts("a", "mayor", 3, 20 * SECOND, resumed + 20_000_000));
    assertThat(owners.judge()).hasSize(1);
  }

  @Test
  void resource_refusesALowerToken() throws IOException {
    var resource = new SoakResource(folder.resolve("mayor"));
    assertThat(resource.write(3, "a")).isTrue();
    assertThat(resource.write(7, "b")).isTrue();
    assertThat(resource.write(3, "a")).isFalse();
    assertThat(resource.all()).extracting(SoakResource.Write::token).containsExactly(3L, 7L);
    assertThat(resource.all()).extracting(SoakResource.Write::node).containsExactly("a", "b");
  }

  @Test
  void token_ofTwoNodes_isFound() throws IOException {
    var resource = new SoakResource(folder.resolve("mayor"));
    resource.write(3, "a");
    resource.write(3, "b");
    SoakOwners owners = owners();
    owners.add(granted("a", 3, 0, 5));
    assertThat(owners.judge()).hasSize(1).allMatch(it -> it.startsWith("token: "));
  }

  private static SoakOwners.Grant granted(String node, long token, long called, long returned) {
    return new SoakOwners.Grant(node, "mayor", token, called * SECOND, returned * SECOND);
  }

  @Test
  void tokens_thatDoNotGrowFromOwnerToOwner_areFound() throws IOException {
    SoakOwners owners = owners();
    owners.add(granted("a", 5, 0, 2));
    owners.add(granted("b", 3, 1, 4)); // which of the two was the first, nobody knows
    owners.add(granted("c", 7, 5, 6));
    assertThat(owners.judge()).isEmpty();
    owners.add(granted("d", 7, 7, 8));
    assertThat(owners.judge()).hasSize(1).allMatch(it -> it.startsWith("token: "));
  }

  /// A former owner that goes on with its own token is refused: the resource does its work.
  @Test
  void formerOwner_thatGoesOnWithItsOwnToken_isRefused() throws IOException {
    var resource = new SoakResource(folder.resolve("mayor"));
    SoakOwners owners = owners();
    owners.add(granted("a", 3, 0, 1));
    owners.add(granted("b", 7, 2, 3));
    resource.write(3, "a");
    resource.write(7, "b");
    assertThat(resource.write(3, "a")).isFalse();
    assertThat(owners.judge()).isEmpty();
  }

  /// A broken owner: it has a token that is higher than that of the next one, which cannot stop it.
  @Test
  void formerOwner_whoseTokenIsHigher_isLetIn_andItsWriteIsFoundToBeStale() throws IOException {
    var resource = new SoakResource(folder.resolve("mayor"));
    SoakOwners owners = owners();
    owners.add(granted("a", 9, 0, 1));
    owners.add(granted("b", 7, 2, 3));
    assertThat(resource.write(7, "b")).isTrue();
    assertThat(resource.write(9, "a")).isTrue();
    assertThat(owners.judge())
        .filteredOn(it -> it.startsWith("stale: "))
        .hasSize(1)
        .allMatch(it -> it.contains("node=a"));
  }
}
