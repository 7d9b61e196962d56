console.log("nothing to do");
