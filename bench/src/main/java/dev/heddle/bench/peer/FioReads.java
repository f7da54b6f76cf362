// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.DataFile;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// fio on io_uring, a process for each round: what the kernel gives to a program in C that does
/// nothing else. Time and CPU are its own figures; its start is in neither.
public final class FioReads implements Program {
  private static final Pattern FIGURES =
      Pattern.compile(
          "\"read\" : \\{.*?\"runtime\" : (\\d+),.*?\"total_ios\" : (\\d+),"
              + ".*?\"usr_cpu\" : ([0-9.]+),.*?\"sys_cpu\" : ([0-9.]+),",
          Pattern.DOTALL);

  private final int depth;
  private final boolean direct;

  /// With so many reads under way.
  ///
  /// @param direct past the system's cache (O_DIRECT)
  public FioReads(int depth, boolean direct) {
    this.depth = depth;
    this.direct = direct;
  }

  @Override
  public Sample round(long operations) throws IOException, InterruptedException {
    Process fio = new ProcessBuilder(command(operations)).redirectErrorStream(true).start();
    String said = new String(fio.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = fio.waitFor();
    Matcher figures = FIGURES.matcher(said);
    if (code != 0 || !figures.find()) {
      throw new IOException("fio ended with " + code + ": " + said);
    }
    long wallNanos = Math.max(1, Long.parseLong(figures.group(1))) * 1_000_000;
    double percent = Double.parseDouble(figures.group(3)) + Double.parseDouble(figures.group(4));
    long reads = Long.parseLong(figures.group(2));
    return new Sample(reads, wallNanos, (long) (percent / 100 * wallNanos), Map.of());
  }

  private List<String> command(long operations) throws IOException {
    return List.of(
        "fio",
        "--name=reads",
        "--filename=" + DataFile.path(),
        "--readonly",
        "--rw=randread",
        "--bs=" + DataFile.BLOCK,
        "--size=" + (long) DataFile.BLOCK * DataFile.BLOCKS,
        "--io_size=" + operations * DataFile.BLOCK,
        "--ioengine=io_uring",
        "--iodepth=" + depth,
        "--direct=" + (direct ? 1 : 0),
        "--invalidate=0", // what is in the cache stays there, as for everybody
        "--norandommap",
        "--randrepeat=0",
        "--gtod_reduce=1",
        "--thread",
        "--output-format=json");
  }
}
