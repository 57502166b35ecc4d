"""python3 jobs gallery [-l] [-r RANKS] [-d] [name...]: the scenes of docs/gallery.md and their pictures.

Runs the decks of inputs/scenes into out/gallery/NAME and draws their frames into docs/images/gallery/NAME.png. Without
a name, all of them. Debian: python3-paraview, python3-pil, xvfb, xauth, libgl1-mesa-dri, which it installs.
"""
import os

import paraview
import program
from outputs import load, rows
from program import say
from random_start import distance, positions

SEEDS = range(1, 11)
RECOVERED = 0.01  # of the diagonal


class Scene:
    """A scene: its name, and whether to run it."""

    def __init__(self, name, given):
        self.name, self.ranks, self.draw_only = name, given.r, given.d

    def run(self, deck=None, folder=None, options=None):
        """Into out/gallery/FOLDER."""
        if self.draw_only:
            return
        folder = f"out/gallery/{folder or self.name}"
        program.run("run", deck or f"inputs/scenes/{self.name}.yaml", folder, options, ranks=self.ranks)
        say(f"{len(rows(folder, 'steps.csv'))} steps, {load(folder, 'run.json')['iterations']} iterations: {folder}")

    def draw(self, *options, runs=None):
        """Options of python3 jobs paraview."""
        file = f"docs/images/gallery/{self.name}.png"
        os.makedirs(os.path.dirname(file), exist_ok=True)
        paraview.main([f"out/gallery/{run}" for run in runs or [self.name]] + [f"picture={file}", *options])


def plain(*look):
    """A scene that is run as its deck is."""

    def show(scene):
        scene.run()
        scene.draw(*look)

    return show


def spheres(scene):
    deck = "inputs/scenes/spheres.yaml"
    spline = lambda name: {"material_file": os.path.abspath(f"inputs/materials/stiff_in_{name}.csv")}
    neohookean = {"material_model": "neohookean", "material_young": 1e5, "material_poisson": 0.3}
    materials = {"tension": spline("tension"), "compression": spline("compression"), "neohookean": neohookean}
    for name, options in materials.items():
        scene.run(deck, f"spheres/{name}", options)
    look = ("times=0.45,1", "size=220,280", "view=2,0.3,0.5", "range=0,80000")
    scene.draw(*look, runs=[f"spheres/{name}" for name in materials])


def cloth(scene):
    stiffness = ("1e4", "1e3", "1e2")
    for k in stiffness:
        scene.run(folder=f"cloth/{k}", options={"membrane_box_stiffness": k})
    labels = "labels=" + ",".join(f"{k} N/m" for k in stiffness)
    runs = [f"cloth/{k}" for k in stiffness]
    scene.draw("times=0.4,1", "size=220,260", "view=1,-2,0.5", "range=0,0.4", labels, runs=runs)


def arch(scene):
    runs = {"0.5": "arch/stands", "0.1": "arch/falls"}
    for friction, folder in runs.items():
        scene.run(folder=folder, options={"self_contact_friction": friction})
    labels = "labels=" + ",".join(f"friction {friction}" for friction in runs)
    look = ("times=0.5,1", "size=320,240", "view=0.3,-2,0.6", "colour=none", "edges=1")
    scene.draw(*look, labels, runs=list(runs.values()))


def vertices_of(mesh):
    lines = program.output("mesh", "info", mesh).splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("vertices")).replace(",", ""))


def random(scene):
    recovered, count = 0, vertices_of("inputs/meshes/head.msh")
    os.makedirs("out/gallery/random", exist_ok=True)
    for seed in SEEDS:
        table = f"out/gallery/random/{seed}.csv"
        with open(table, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in positions(count, seed)))
        scene.run(folder=f"random/{seed}", options={"initial_positions": os.path.abspath(table)})
        far = distance(f"out/gallery/random/{seed}")
        recovered += far < RECOVERED
        say(f"seed {seed}: largest distance from the rest shape {far:.3g} of the diagonal")
    say(f"{recovered} of {len(SEEDS)} seeds end within {100 * RECOVERED:g} % of the diagonal")
    scene.draw("times=0,0.05,0.2,1", "size=300,300", "colour=none", "view=1,-2,0.4", runs=["random/1"])


def pendulum(scene):
    scene.run("inputs/pendulum.yaml", options={"time_integrator": "implicit_midpoint"})
    scene.draw("times=0,0.15,0.3,0.45,0.6", "size=240,240", "colour=none", "view=0,-1,0")


def film(scene):
    """The film of the README."""
    scene.run("inputs/beam_twist.yaml")
    look = ["view=0.6,-2,0.6", "size=700,320", "width=640", "seconds=4"]
    paraview.main(["out/gallery/film", "film=docs/images/beam_twist.gif", *look])


SCENES = {
    "film": film,
    "head": plain("times=0,0.2,0.35,0.5,1", "size=240,280", "view=2,0.3,0.5"),
    "spheres": spheres,
    "cube": plain("times=0,0.35,0.6,1", "size=280,260", "view=0.3,-2,0.3"),
    "twist": plain("times=0,0.4,1", "size=420,200", "view=0.6,-2,0.6"),
    "torus": plain("times=0,0.35,0.5,0.65,1", "size=220,400", "view=1,-2,0.5", "range=0,3000"),
    "cloth": cloth,
    "random": random,
    "pendulum": pendulum,
    "bridge": plain("times=0,0.5,1", "size=420,240", "view=0.4,-2,0.5"),
    "two_blocks": plain("times=0,0.24,0.3,0.4,0.75", "size=300,300", "view=0.5,-2,0.5"),
    "thrown": plain("times=0,0.35,0.5,1", "size=320,240", "view=0.4,-2,0.5"),
    "drape": plain("times=0,0.4,1", "size=320,240", "view=0.8,-2,0.8"),
    "knives": plain("times=0,0.4,1", "size=260,220", "view=1.5,-2,1.2", "colour=none", "edges=1"),
    "braid": plain("times=0.25,0.5,1", "size=420,160", "view=0.4,-2,0.8", "colour=region"),
    "knot": plain("times=0,0.4,1", "size=320,260", "view=1,-1,2", "colour=none"),
    "arch": arch,
    "ring": plain("times=0,0.5,1", "size=260,240", "view=0.4,-1,1.4"),
    "seal": plain("times=0,0.4,1", "size=320,200", "view=0.6,-2,0.6"),
}


def main(arguments):
    parser = program.parser("gallery", __doc__)
    parser.add_argument("-r", metavar="RANKS", type=program.count, default=2)
    parser.add_argument("-d", action="store_true", help="only draw what has been run")
    given = program.parse_names(parser, arguments, SCENES, "scene")
    program.install("python3-paraview", "python3-pil", "xvfb", "xauth", "libgl1-mesa-dri")
    for name in given.name:
        say(f"== {name}")
        SCENES[name](Scene(name, given))
    return 0
