// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

final class PooledJdbcTest {
  private static final Pattern POOL =
      Pattern.compile("(?m)^(\\w+) +1000 transactions, worst wait (\\d+)$");

  @Test
  void bothPools_under200Coroutines_addUp() throws Exception {
    try (var run = ExampleProcess.startWithClassPath(jars(), "PooledJdbc")) {
      assertThat(run.awaitExit()).as(run.text()).isZero();
      List<MatchResult> pools = POOL.matcher(run.text()).results().toList();
      assertThat(pools.stream().map(pool -> pool.group(1))).containsExactly("Pool", "HikariCP");
      // of those before it in the queue, none twice
      assertThat(Integer.parseInt(pools.getFirst().group(2))).isLessThan(200);
      assertThat(run.text()).contains("2000 paid in, 2000 in the accounts");
    }
  }

  private static String jars() throws URISyntaxException {
    List<String> jars = new ArrayList<>();
    for (Class<?> of : List.of(HikariDataSource.class, Server.class, Logger.class)) {
      jars.add(Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(File.pathSeparator, jars);
  }
}
