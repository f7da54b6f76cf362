// SPDX-License-Identifier: Apache-2.0

import module java.base;

/// Draws the pictures of these pages: reads `NAME.txt` beside it and writes `NAME.svg`. The text
/// says which boxes stand in which lane and row, and which sides the arrows join.
final class RenderPicture {
  private static final int BOX_WIDTH = 240;
  private static final int BOX_HEIGHT = 52;
  private static final int ROW = 84;
  private static final int TOP = 64;
  private static final int LINE = 17;

  /// Where something stands.
  record Box(int x, int y, int width, boolean exit, List<String> lines) {
    int[] side(String name) {
      return switch (name) {
        case "left" -> new int[] {x, y + BOX_HEIGHT / 2};
        case "right" -> new int[] {x + width, y + BOX_HEIGHT / 2};
        case "top" -> new int[] {x + width / 2, y};
        case "bottom" -> new int[] {x + width / 2, y + BOX_HEIGHT};
        default -> throw new IllegalArgumentException("no such side: " + name);
      };
    }
  }

  private final Map<String, Box> boxes = new LinkedHashMap<>();
  private final StringBuilder svg = new StringBuilder();
  private int lowest;

  static void main(String[] args) throws IOException {
    Path folder = Path.of(args.length > 0 ? args[0] : "docs/explanation/pictures");
    try (var texts = Files.newDirectoryStream(folder, "*.txt")) {
      for (Path text : texts) {
        String name = text.getFileName().toString().replace(".txt", ".svg");
        Files.writeString(
            folder.resolve(name), new RenderPicture().render(Files.readAllLines(text)));
        System.out.println("Wrote " + name);
      }
    }
  }

  private String render(List<String> text) {
    for (String line : text) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.split(" *\\| *");
        draw(parts[0].strip().split("[ >-]+"), List.of(parts).subList(1, parts.length));
      }
    }
    boxes.values().forEach(this::drawBox);
    int height = lowest + 24;
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="920" height="%d" viewBox="0 0 920 %d" font-family="sans-serif" font-size="13">
    <defs><marker id="tip" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto"><path d="M0,0 L9,4 L0,8 z" fill="#555"/></marker></defs>
    <rect width="920" height="%d" fill="#ffffff"/>
    %s</svg>
    """
        .formatted(height, height, height, svg);
  }

  private void draw(String[] words, List<String> rest) {
    switch (words[0]) {
      case "lane" -> drawLane(words[1], rest.getFirst());
      case "box", "exit" -> place(words, rest);
      case "arrow" ->
          drawArrow(
              boxes.get(words[1]).side(words[2]),
              words[2],
              boxes.get(words[3]).side(words[4]),
              words[4]);
      default -> throw new IllegalArgumentException("no such word: " + words[0]);
    }
  }

  private static int laneX(String lane) {
    return lane.equals("left") ? 180 : 500;
  }

  private void drawLane(String lane, String title) {
    text(laneX(lane) + BOX_WIDTH / 2, 34, "bold", title);
  }

  private void place(String[] words, List<String> lines) {
    boolean exit = words[0].equals("exit");
    int lane = laneX(words[1]);
    int x = !exit ? lane : words[1].equals("left") ? lane - 164 : lane + BOX_WIDTH + 28;
    int y = TOP + (Integer.parseInt(words[2]) - 1) * ROW;
    lowest = Math.max(lowest, y + BOX_HEIGHT);
    boxes.put(words[3], new Box(x, y, exit ? 140 : BOX_WIDTH, exit, lines));
  }

  private void drawBox(Box box) {
    svg.append(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" fill=\"%s\" stroke=\"#555\"/>\n"
            .formatted(
                box.x,
                box.y,
                box.width,
                BOX_HEIGHT,
                box.exit ? 26 : 5,
                box.exit ? "#fff4d6" : "#e8f0fb"));
    int y = box.y + BOX_HEIGHT / 2 + 5 - (box.lines.size() - 1) * LINE / 2;
    for (int i = 0; i < box.lines.size(); i++) {
      boolean title = i == 0 && !box.exit;
      text(box.x + box.width / 2, y + i * LINE, title ? "bold" : "normal", box.lines.get(i));
    }
  }

  private void text(int x, int y, String weight, String words) {
    String safe = words.replace("&", "&amp;").replace("<", "&lt;");
    svg.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-weight=\"%s\" fill=\"#222\">%s</text>\n"
            .formatted(x, y, weight, safe));
  }

  /// Straight where possible, else with one bend or two.
  private void drawArrow(int[] from, String out, int[] to, String in) {
    boolean vertical = out.equals("top") || out.equals("bottom");
    boolean bend = vertical && !(in.equals("top") || in.equals("bottom"));
    String path =
        bend
            ? "V%d H%d".formatted(to[1], to[0])
            : vertical
                ? "V%d".formatted(to[1])
                : "H%d V%d H%d".formatted((from[0] + to[0]) / 2, to[1], to[0]);
    svg.append(
        "<path d=\"M%d,%d %s\" fill=\"none\" stroke=\"#555\" stroke-width=\"1.4\" marker-end=\"url(#tip)\"/>\n"
            .formatted(from[0], from[1], path));
  }
}
