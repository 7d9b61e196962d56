package syntax

func F( {
}
